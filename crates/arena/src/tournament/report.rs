//! The page that tells of a tournament.

use super::summary::Summary;

/// A page that needs nothing beside itself.
pub fn page(summary: &Summary) -> String {
    let data = serde_json::to_string(&summary.standings).unwrap_or_default();
    let title = summary.title.replace('&', "&amp;").replace('<', "&lt;");
    let data = data.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<pre>{data}</pre>\n"
    )
}
