//! Foreign text made harmless for one line of any format.

/// Line breaks and other control characters become spaces; marks that reverse the direction of text go,
/// because they would make a name read as another.
pub(super) fn line(text: &str) -> String {
    let kept: String = text
        .chars()
        .filter(|c| !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        .map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c })
        .collect();
    kept.trim().to_owned()
}
