//! `countersign auth status`: asks each known host who the token is.
//! Must not know: formats (`report`).

use super::connect::make_client;
use super::environment::Environment;
use super::out::Out;
use super::tokens;
use crate::config::Settings;
use crate::error::AppError;
use crate::github::Base;
use crate::report::auth::{HostStatus, report};
use futures::future::join_all;

/// Prints every host of the settings and the one that is addressed, which decides how the program ends.
pub async fn status(
    base: &Base,
    given: bool,
    environment: &Environment,
    settings: &Settings,
    json: bool,
    out: &mut Out,
) -> Result<(), AppError> {
    let others = settings.hosts.keys().filter_map(|host| base_of(host)).filter(|other| !is_same_place(other, base));
    let asked = std::iter::once((base.clone(), true)).chain(others.map(|other| (other, false)));
    let hosts = join_all(asked.map(|(base, addressed)| ask(base, addressed, addressed && given, environment, settings))).await;
    out.data(&report(&hosts, json).text);
    match hosts.into_iter().find(|host| host.addressed).map(|host| host.identity) {
        Some(Err(trouble)) => Err(trouble.into()),
        _ => Ok(()),
    }
}

async fn ask(base: Base, addressed: bool, given: bool, environment: &Environment, settings: &Settings) -> HostStatus {
    let mut status = HostStatus {
        host: base.authority().to_owned(),
        addressed,
        source: None,
        identity: Err(super::connect::broken("Nothing was asked")),
        budget: None,
    };
    let made = tokens::find(&base, given, environment, settings).and_then(|found| {
        let (token, source) = found.unzip();
        Ok((make_client(base, token, environment, settings, None, None)?, source))
    });
    match made {
        Ok((client, source)) => {
            status.source = source;
            status.identity = client.identity().await;
            status.budget = client.budget().map(|budget| (budget.remaining, budget.limit));
        }
        Err(trouble) => status.identity = Err(trouble),
    }
    status
}

/// The API of a host that the settings name, as a page's address would imply it; loopback is asked over http.
fn base_of(host: &str) -> Option<Base> {
    if host == "github.com" {
        return Some(Base::github());
    }
    let bare = host.starts_with("api.") && host.ends_with(".ghe.com");
    let path = if bare { "" } else { "/api/v3" };
    Base::parse(&format!("http://{host}")).or_else(|_| Base::parse(&format!("https://{host}{path}"))).ok()
}

fn is_same_place(one: &Base, other: &Base) -> bool {
    one.authority().eq_ignore_ascii_case(other.authority())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_of_the_settings_has_one_api() {
        for (host, api) in [
            ("github.com", "https://api.github.com"),
            ("ghe.example.org", "https://ghe.example.org/api/v3"),
            ("ghe.example.org:8443", "https://ghe.example.org:8443/api/v3"),
            ("api.tenant.ghe.com", "https://api.tenant.ghe.com"),
            ("127.0.0.1:4020", "http://127.0.0.1:4020"),
        ] {
            assert_eq!(base_of(host).unwrap().to_string(), api);
        }
        assert_eq!(base_of("a b"), None);
    }
}
