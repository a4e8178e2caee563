//! What Ctrl-C and its relatives do: the first one stops what is going on, the second one ends us.

use skirmish_search::Stop;

/// Which signals stop a command, beside Ctrl-C and a kill that can be heard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Hangup {
    /// A closed terminal does too.
    Stops,
    /// A closed terminal is left to the shell, so that `nohup` holds.
    IsLeftAlone,
}

/// Has the first signal set `stop` and the second end the program. Where signals cannot be heard,
/// `consequence` is told: what Ctrl-C will do instead.
#[cfg(unix)]
pub(crate) fn stop_on_signals(stop: &Stop, hangup: Hangup, consequence: &str) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let also = (hangup == Hangup::Stops).then_some(SIGHUP);
    let stop = stop.clone();
    let listen = move |mut signals: Signals| {
        for _ in signals.forever() {
            if stop.is_stopped() {
                std::process::exit(130);
            }
            stop.stop();
        }
    };
    match Signals::new([SIGINT, SIGTERM].into_iter().chain(also)) {
        Ok(signals) => drop(std::thread::spawn(move || listen(signals))),
        Err(error) => crate::output::note(format_args!("Ctrl-C will {consequence}: {error}")),
    }
}

#[cfg(not(unix))]
pub(crate) fn stop_on_signals(_: &Stop, _: Hangup, _: &str) {}
