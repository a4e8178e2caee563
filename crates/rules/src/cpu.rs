//! Run-time choice of CPU instructions.
//!
//! The default build runs on any x86-64 machine, which leaves out the bit-counting instructions
//! every machine of the last decade has. The hot loops (playouts, perft) live and die by them, so
//! they are compiled twice and the better copy is chosen when the program runs. Measured for
//! Amazons playouts on an EPYC: about a third faster than the portable copy.

/// A piece of work worth compiling twice. Implementations and everything hot they call must be
/// `#[inline(always)]` or small enough to be inlined: only inlined code gains.
pub trait Work {
    /// What the work gives back.
    type Output;
    /// Does it.
    fn run(self) -> Self::Output;
}

/// Runs `work` with bit-manipulation instructions where the machine has them.
#[inline]
pub fn boosted<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "popcnt,lzcnt,bmi1,bmi2")]
        fn with_bit_instructions<W: Work>(work: W) -> W::Output {
            work.run()
        }

        if has_bit_instructions() {
            // SAFETY: the features the function is compiled for were detected just above.
            #[allow(unsafe_code)]
            return unsafe { with_bit_instructions(work) };
        }
    }
    work.run()
}

/// Whether this machine has the instructions [`boosted`] looks for.
pub fn has_bit_instructions() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("popcnt")
            && std::arch::is_x86_feature_detected!("lzcnt")
            && std::arch::is_x86_feature_detected!("bmi1")
            && std::arch::is_x86_feature_detected!("bmi2")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}
