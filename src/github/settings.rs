//! What a client must be told: where, as whom, with which limits. The environment is read elsewhere.
//! Must not know: settings files, environment variables, command lines.

use super::address::Base;
use super::layers::record::Recorder;
use super::shelf::{Memory, Shelf};
use crate::core::time::Time;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Tells the time; `runtime::clock` in the program, anything in a test.
pub type Clock = Arc<dyn Fn() -> Time + Send + Sync>;

/// A token. It has no `Display`, and its `Debug` shows nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(token: impl Into<String>) -> Secret {
        Secret(token.into().trim().to_owned())
    }

    /// For the one header that carries it.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// How long to wait, and how much to accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Until the connection stands (name look-up excluded).
    pub connect: Duration,
    /// From sending a request to its answer's headers.
    pub headers: Duration,
    /// From the headers to the end of the body.
    pub body: Duration,
    /// Bytes of one body.
    pub body_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connect: Duration::from_secs(10),
            headers: Duration::from_secs(20),
            body: Duration::from_secs(60),
            body_bytes: 64 << 20,
        }
    }
}

/// Values as in the environment variables of these names.
#[derive(Clone, Default)]
pub struct Proxy {
    /// `HTTPS_PROXY`: an http address, through which https connections are tunnelled. Empty for none.
    pub https: String,
    /// `NO_PROXY`: hosts that are reached directly.
    pub no: String,
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A proxy address may hold a password.
        write!(f, "Proxy({})", if self.https.is_empty() { "none" } else { "…" })
    }
}

/// Certificate authorities that are trusted besides the system's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorities {
    /// What a message calls them: the file that they came from.
    pub file: String,
    pub pem: Vec<u8>,
}

/// Everything a client needs to know.
#[derive(Clone)]
pub struct Settings {
    pub base: Base,
    /// Goes to the base's scheme, host and port, and nowhere else.
    pub token: Option<Secret>,
    pub user_agent: String,
    pub limits: Limits,
    pub proxy: Proxy,
    pub authorities: Option<Authorities>,
    pub clock: Clock,
    /// Keeps every read in a recording.
    pub record: Option<Recorder>,
    /// Keeps answers for later; one that records starts with nothing kept.
    pub shelf: Arc<dyn Shelf>,
}

impl Settings {
    /// github.com without a token.
    pub fn new(clock: Clock) -> Settings {
        Settings {
            base: Base::github(),
            token: None,
            user_agent: concat!("countersign/", env!("CARGO_PKG_VERSION")).to_owned(),
            limits: Limits::default(),
            proxy: Proxy::default(),
            authorities: None,
            clock,
            record: None,
            shelf: Arc::new(Memory::default()),
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("base", &self.base.to_string()).field("token", &self.token).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_shown() {
        let mut settings = Settings::new(Arc::new(Time::default));
        settings.token = Some(Secret::new("ghp_abc\n"));
        settings.proxy.https = "http://user:word@proxy".into();
        let shown = format!("{settings:?} {:?}", settings.proxy);
        assert!(!shown.contains("ghp_abc") && !shown.contains("word"), "{shown}");
        assert_eq!(settings.token.as_ref().map(Secret::expose), Some("ghp_abc"));
    }
}
