//! Pages that stand alone: no script, font or picture from elsewhere, so that a page can be mailed,
//! printed and opened in ten years.
//!
//! A page is one [`Document`]. Its charts are SVG with a title for those who do not see them, and
//! the author of a page puts the numbers in a table beside.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// What all pages look like: light or dark as the reader's system is, and fit for paper.
const STYLE: &str = include_str!("page.css");

/// A page.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// Its title, as text.
    pub title: &'a str,
    /// Style beyond that of all pages.
    pub style: &'a str,
    /// What is in it, as HTML.
    pub body: &'a str,
    /// A script that runs at the end; empty for none.
    pub script: &'a str,
}

impl Document<'_> {
    /// The page as HTML.
    ///
    /// Its policy lets it load nothing at all and run this one script: what an agent wrote to stderr
    /// is shown on pages, and must stay text.
    pub fn html(&self) -> String {
        let Document { title, style, body, script } = self;
        let (allowed, script) = if script.is_empty() {
            (String::new(), String::new())
        } else {
            let hash = STANDARD.encode(Sha256::digest(script.as_bytes()));
            (format!("; script-src 'sha256-{hash}'"), format!("<script>{script}</script>\n"))
        };
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" \
             content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:{allowed}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n\
             <body>\n<main>\n{body}\n</main>\n{script}</body>\n</html>\n",
            escape(title)
        )
    }
}

/// Text from anywhere, as it may stand in HTML, in SVG and in their attributes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Neither HTML nor SVG has a place for these.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            '\n' | '\t' => escaped.push(letter),
            letter if letter.is_control() => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_runs_its_own_script_and_no_other() {
        let page = Document { title: "a <b>", style: "", body: "<p>hello</p>", script: "alert(1)" };
        let html = page.html();
        // `printf 'alert(1)' | openssl dgst -sha256 -binary | base64`
        assert!(html.contains("'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"), "{html}");
        assert!(html.contains("<title>a &lt;b&gt;</title>"));
        let without = Document { script: "", ..page }.html();
        assert!(!without.contains("script-src") && !without.contains("<script"));
    }

    #[test]
    fn text_stays_text() {
        assert_eq!(escape("<a href='x'>\"&"), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;");
    }
}
