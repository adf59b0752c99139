//! Theme files: a look per role, inherited from another theme.
//! Must not know: where theme files lie, or how a role is drawn.

use super::document::{Reader, Value};
use super::problem::Problem;
use crate::view::theme::{Ink, Look, Role, Theme};
use std::collections::BTreeMap;

/// The themes that come with the program: name and text.
pub const BUILT_IN: &[(&str, &str)] =
    &[("dark", include_str!("../../themes/dark.toml")), ("mono", include_str!("../../themes/mono.toml"))];

/// Themes that inherit from each other further than this do so in a circle.
const MOST_PARENTS: usize = 8;

/// Makes the theme of this name. `find` gives the name to call a theme's file by and its text; built-in themes are found
/// without it, and a file of the same name outranks them.
pub fn load_theme(name: &str, find: &dyn Fn(&str) -> Option<(String, String)>) -> (Theme, Vec<Problem>) {
    let mut looks: BTreeMap<Role, Look> = BTreeMap::new();
    let mut problems = Vec::new();
    let mut next = Some(name.to_owned());
    let mut asked_by: Option<(String, String)> = None;
    for _ in 0..MOST_PARENTS {
        let Some(name) = next.take() else { break };
        let built_in = || {
            BUILT_IN.iter().find(|(known, _)| *known == name).map(|(known, text)| (format!("{known}.toml"), (*text).to_owned()))
        };
        // A theme that inherits its own name means the built-in one beneath it.
        let own = asked_by.as_ref().is_some_and(|(asker, _)| *asker == name);
        let found = if own { built_in() } else { find(&name).or_else(built_in) };
        let Some((file, text)) = found else {
            let mut reader = Reader::new(asked_by.as_ref().map_or("settings.toml", |(_, file)| file), "");
            let known: Vec<&str> = BUILT_IN.iter().map(|(known, _)| *known).collect();
            reader.warn(0..0, format!("there is no theme \"{name}\"."), format!("Built in are: {}.", known.join(", ")));
            problems.extend(reader.finish());
            break;
        };
        let mut reader = Reader::new(&file, &text);
        next = read(&mut reader, &mut looks);
        problems.extend(reader.finish());
        asked_by = Some((name, file));
    }
    if let (Some(_), Some((_, file))) = (next, asked_by) {
        let mut reader = Reader::new(&file, "");
        reader.warn(0..0, "themes inherit from each other in a circle.", "Let one of them inherit nothing.");
        problems.extend(reader.finish());
    }
    (Theme::from_looks(&looks), problems)
}

/// Adds what the file says of roles that no heir has named; returns the theme that it inherits from.
fn read(reader: &mut Reader<'_>, looks: &mut BTreeMap<Role, Look>) -> Option<String> {
    let mut parent = None;
    for (key, value) in &reader.parse() {
        match key.get_ref().as_ref() {
            "inherits" => parent = reader.text("inherits", value).map(str::to_owned),
            "roles" => {
                let Some(table) = reader.table("roles", value) else { continue };
                for (name, look) in table {
                    let Some(role) = Role::from_name(name.get_ref()) else {
                        reader.warn(
                            name.span(),
                            format!("there is no role \"{}\".", name.get_ref()),
                            "The built-in themes name them all.",
                        );
                        continue;
                    };
                    let read = read_look(reader, look);
                    looks.entry(role).or_insert(read);
                }
            }
            other => reader.unknown(key.span(), other, &["inherits", "roles"]),
        }
    }
    parent
}

fn read_look<'a>(reader: &mut Reader<'a>, value: Value<'_, 'a>) -> Look {
    const KNOWN: &[&str] = &["fg", "bg", "bold", "dim", "italic", "underline", "reverse", "strikethrough"];
    let mut look = Look::default();
    let Some(table) = reader.table("roles", value) else { return look };
    for (key, value) in table {
        let key_name = key.get_ref().as_ref();
        let flag = match key_name {
            "fg" => {
                look.fg = read_ink(reader, value);
                continue;
            }
            "bg" => {
                look.bg = read_ink(reader, value);
                continue;
            }
            "bold" => &mut look.bold,
            "dim" => &mut look.dim,
            "italic" => &mut look.italic,
            "underline" => &mut look.underline,
            "reverse" => &mut look.reverse,
            "strikethrough" => &mut look.strikethrough,
            other => {
                reader.unknown(key.span(), other, KNOWN);
                continue;
            }
        };
        *flag = reader.flag(key_name, value).unwrap_or_default();
    }
    look
}

fn read_ink<'a>(reader: &mut Reader<'a>, value: Value<'_, 'a>) -> Option<Ink> {
    let text = reader.text("colour", value)?;
    let ink = Ink::parse(text);
    if ink.is_none() {
        reader.warn(
            value.span(),
            format!("\"{text}\" is no colour."),
            "Write \"#79c0ff\", \"bright blue\", \"244\" or \"terminal\".",
        );
    }
    ink
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none(_: &str) -> Option<(String, String)> {
        None
    }

    #[test]
    fn built_in_themes_have_no_problems_and_mono_no_colour() {
        for (name, _) in BUILT_IN {
            let (theme, problems) = load_theme(name, &none);
            assert_eq!(problems, [], "{name}");
            let coloured = Role::ALL.iter().any(|role| theme.style(*role).fg.is_some() || theme.style(*role).bg.is_some());
            assert_eq!(coloured, *name != "mono", "{name}");
        }
    }

    #[test]
    fn an_heir_replaces_roles_and_keeps_the_rest() {
        let find = |name: &str| {
            (name == "mine")
                .then(|| ("mine.toml".to_owned(), "inherits = 'dark'\n[roles]\ngood = { fg = 'green' }\n".to_owned()))
        };
        let ((mine, problems), (dark, _)) = (load_theme("mine", &find), load_theme("dark", &none));
        assert_eq!(problems, []);
        assert_ne!(mine.style(Role::Good), dark.style(Role::Good));
        assert_eq!(mine.style(Role::Bad), dark.style(Role::Bad));
        // A file may stand on the built-in theme of its own name.
        let own = |name: &str| {
            (name == "dark").then(|| ("dark.toml".to_owned(), "inherits = 'dark'\n[roles]\ngood = {}\n".to_owned()))
        };
        let (own, problems) = load_theme("dark", &own);
        assert_eq!((problems.len(), own.style(Role::Bad)), (0, dark.style(Role::Bad)));
    }

    #[test]
    fn what_is_wrong_is_a_warning_with_its_line() {
        let find = |name: &str| match name {
            "a" => Some((
                "a.toml".to_owned(),
                "inherits = 'b'\n[roles]\ngod = {}\ngood = { fg = 'mauve', blink = true }\nx = 1\n".to_owned(),
            )),
            "b" => Some(("b.toml".to_owned(), "inherits = 'a'\n".to_owned())),
            _ => None,
        };
        let (_, problems) = load_theme("a", &find);
        let places: Vec<&str> = problems.iter().map(|p| p.place.as_str()).collect();
        assert!(places.contains(&"a.toml:3") && places.contains(&"a.toml:4") && places.contains(&"a.toml:5"), "{problems:?}");
        assert!(problems.iter().any(|p| p.message.contains("circle")));
        let (_, problems) = load_theme("nope", &none);
        assert!(problems[0].message.contains("no theme \"nope\"") && problems[0].hint.contains("mono"));
    }
}
