//! From the bytes of a kubeconfig file to parsed documents.

use serde_json::Value;

use super::{ConfigError, Origin};

/// The text of a file in UTF-8 or, with a byte order mark, UTF-16 (what PowerShell's `>` writes).
pub(super) fn decode(bytes: &[u8], origin: &Origin) -> Result<String, ConfigError> {
    let not_text = |problem: &str| ConfigError::InvalidYaml {
        origin: origin.clone(),
        line: 0,
        column: 0,
        problem: problem.to_owned(),
    };
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, odd) = bytes.as_chunks::<2>();
        let units = pairs.iter().map(|pair| unit(*pair));
        let text: Result<String, _> = char::decode_utf16(units).collect();
        text.ok()
            .filter(|_| odd.is_empty())
            .ok_or_else(|| not_text("it is not valid UTF-16"))
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] | rest => match std::str::from_utf8(rest) {
            Ok(text) => Ok(text.to_owned()),
            Err(error) => {
                let line = 1 + rest[..error.valid_up_to()]
                    .iter()
                    .filter(|byte| **byte == b'\n')
                    .count() as u64;
                Err(ConfigError::InvalidYaml {
                    origin: origin.clone(),
                    line,
                    column: 0,
                    problem: "it is not valid UTF-8".to_owned(),
                })
            }
        },
    }
}

/// The documents of a text, parsed. Parser messages are passed on only where they cannot contain the file's text.
pub(super) fn documents(text: &str, origin: &Origin) -> Result<Vec<Value>, ConfigError> {
    if text.trim_start().starts_with('{')
        && let Ok(document) = serde_json::from_str(text)
    {
        return Ok(vec![document]);
    }
    serde_saphyr::from_multiple::<Value>(text).map_err(|error| {
        let (line, column) = error.location().map_or((0, 0), |at| (at.line(), at.column()));
        let problem = match error.without_snippet() {
            serde_saphyr::Error::ExternalMessage { msg, .. } => msg.clone(),
            serde_saphyr::Error::DuplicateMappingKey { key: Some(key), .. } => {
                format!("the key {key:?} appears twice")
            }
            _ => "the structure is broken; check indentation and quotes".to_owned(),
        };
        ConfigError::InvalidYaml {
            origin: origin.clone(),
            line,
            column,
            problem,
        }
    })
}
