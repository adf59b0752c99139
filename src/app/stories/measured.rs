//! Stories of the points and the results: looked at, followed to a job, compared and written.
//! Must not know: terminals or wires.

use super::*;
use crate::app::effect::Export;
use crate::app::screens::points::PointLine;
use crate::app::screens::results;
use crate::core::conclusions::Conclusions;
use crate::core::facts::Side;
use crate::core::points::{Points, world};
use crate::core::remote::Remote;
use crate::core::results::View;

#[test]
fn the_points_are_drawn_while_they_are_looked_at_and_lead_to_their_jobs() {
    let mut stage = Stage::new(World::new()).open();
    assert!(stage.model.points.points.is_none(), "nobody looks");
    stage.keys("7");
    let points = stage.model.points.points.as_ref().unwrap();
    let drawn = points.added.len() + points.changed.len() + points.removed.len();
    let rows = stage.model.points.lines.iter().filter(|line| stage.model.points.point(line).is_some()).count();
    assert_eq!(rows, drawn, "each has a row");
    let serial = stage.model.facts_serial;
    stage.keys("j k");
    assert_eq!(stage.model.facts_serial, serial);
    assert!(!stage.model.points.is_behind(serial), "a key draws nothing anew");
    stage.keys("0 Space 7");
    assert!(!stage.model.points.is_behind(serial), "a tick changes no point");
    // What a refresh changes is drawn anew.
    stage.keys("r");
    assert!(!stage.model.points.is_behind(stage.model.facts_serial) && stage.model.facts_serial > serial);
}

#[test]
fn results_are_drawn_once_per_content_and_turn_with_keys() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("8");
    let Some(run) = results::run(&stage.model) else { panic!("no run") };
    let rows = stage.model.facts.results.get(&run).and_then(Remote::value).map_or(0, |list| list.items.len());
    assert!(rows > 0, "this world has rows");
    let sheet = stage.model.results.sheet.clone().unwrap();
    assert_eq!(sheet.rows.len(), rows);
    stage.keys("j v");
    assert_eq!(stage.model.results.view, View::Interactivity);
    assert!(stage.model.results.plot.as_ref().is_some_and(|plot| plot.x.title.contains("interactivity")));
    stage.keys("r");
    assert!(Arc::ptr_eq(&sheet, stage.model.results.sheet.as_ref().unwrap()), "the same rows again draw nothing");
    // Beyond the last curve there is none.
    stage.keys("9 ]");
    assert_eq!(stage.model.results.curve, stage.model.results.curves().len() - 1);
    assert!(stage.model.results.spot().is_some());
}

#[test]
fn nothing_of_a_head_that_is_gone_is_asked_for_or_shown() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("7 8 0");
    assert!(stage.model.results.sheet.is_some());
    // Wishes of the points that were drawn from other facts.
    let (path, commit) = ("gone.sh".to_owned(), "0123456789012345678901234567890123456789".into());
    stage.model.points.needs = vec![Read::SideFile { side: Side::Head, path, commit }];
    stage.world.head = "f".repeat(40).as_str().into();
    stage.asked.clear();
    stage.keys("r");
    assert!(!stage.model.is_loading(), "nothing waits for ever");
    assert!(
        !stage.asked.iter().any(|read| matches!(read, Read::SideFile { path, .. } if path == "gone.sh")),
        "{:?}",
        stage.asked
    );
    // Another run counts: what was drawn of the first is gone until its own rows are drawn.
    stage.model.results.leave_all_but(None);
    assert!(stage.model.results.sheet.is_none() && stage.model.results.run().is_none());
    stage.keys("8");
    assert_eq!(stage.model.results.run(), results::run(&stage.model));
}

#[test]
fn what_is_written_is_what_is_shown() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("8");
    let effects = update(&mut stage.model, stage.world.now, Msg::Key(Key::parse("w").unwrap()));
    let [Effect::Do(_, Command::Export(export))] = effects.as_slice() else { panic!("{effects:?}") };
    let Export { name, run, sheet, complete, .. } = &**export;
    assert_eq!(name, &format!("countersign-7-{}", run.unwrap()));
    assert!(*complete && Arc::ptr_eq(sheet, stage.model.results.sheet.as_ref().unwrap()));
}

#[test]
fn the_cursor_stays_on_its_point_among_others_of_the_same_place() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("7");
    let (rules, mut facts) = (policy(), world::green());
    let rows =
        ["", "spec-decoding: mtp, ", "kv-offloading: dram, "].map(|more| format!("{{ tp: 2, {more}conc-list: [4, 8] }}"));
    let head = world::entry("k", "o/i:v1", &rows.each_ref().map(String::as_str));
    world::configs(&mut facts, "", &head, &world::changelog("k", ""));
    for _ in 0..2 {
        let points = Points::draw(&rules, &facts, &Conclusions::draw(&rules, &facts));
        assert_eq!(points.added.len(), 6);
        let serial = stage.model.facts_serial;
        stage.model.points.take(points, Vec::new(), serial);
        let is_point = |line: &PointLine| matches!(line, PointLine::Point(..));
        let on: Vec<usize> =
            (0..stage.model.points.lines.len()).filter(|at| is_point(&stage.model.points.lines[*at])).collect();
        for at in on.iter().copied() {
            stage.model.points.scroll.cursor = at;
            let points = stage.model.points.points.clone().unwrap();
            stage.model.points.take(points, Vec::new(), serial);
            assert_eq!(stage.model.points.scroll.cursor, at);
        }
        // A row above the others goes: each is found again.
        stage.model.points.scroll.cursor = on[on.len() - 1];
        let last = stage.model.points.current().map(|(_, point)| point.clone());
        let mut points = stage.model.points.points.clone().unwrap();
        points.added.remove(0);
        stage.model.points.take(points, Vec::new(), serial);
        assert_eq!(stage.model.points.current().map(|(_, point)| point.clone()), last);
        assert!(last.is_some() && stage.model.points.scroll.cursor < on[on.len() - 1]);
    }
}

#[test]
fn points_are_filtered_while_the_filter_is_typed() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("7");
    let (rules, facts) = (policy(), world::green());
    let conclusions = Conclusions::draw(&rules, &facts);
    let take = |stage: &mut Stage| {
        let serial = stage.model.facts_serial;
        stage.model.points.take(Points::draw(&rules, &facts, &conclusions), Vec::new(), serial);
    };
    take(&mut stage);
    let all = stage.model.points.lines.clone();
    let points = |stage: &Stage| stage.model.points.kept();
    let (kept, of) = points(&stage);
    assert!(kept == of && of > 0);
    stage.keys("/ i s : r e m o v e d");
    assert_eq!(points(&stage), (0, of), "a filter works before Enter");
    // What is not understood changes nothing and is not entered.
    stage.keys("x Enter");
    assert_eq!(points(&stage), (0, of));
    assert!(matches!(&stage.model.overlay, Overlay::Typing { wrong: Some(wrong), .. } if wrong.contains("after is:")));
    stage.keys("Esc");
    assert_eq!((stage.model.overlay.clone(), stage.model.points.lines.len()), (Overlay::None, all.len()), "as before");
    stage.keys("/ - i s : r e m o v e d Enter");
    assert_eq!(points(&stage), (of, of));
    assert!(stage.model.points.current().is_some(), "the cursor stands on a point");
    // Points that are drawn anew are filtered too.
    take(&mut stage);
    assert_eq!((stage.model.points.sieve.text.as_str(), points(&stage)), ("-is:removed", (of, of)));
    stage.keys("Esc");
    assert_eq!((&stage.model.points.lines, stage.model.focus), (&all, Pane::Points), "Esc clears the filter first");
    stage.keys("1 0 /");
    assert_eq!(stage.model.overlay, Overlay::None, "the checklist has no filter");
    assert!(stage.notice().contains("cannot be filtered"), "{}", stage.notice());
}

#[test]
fn a_filtered_curve_keeps_its_frontier_and_its_cursor_names_the_right_row() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("8");
    let frontier = |stage: &Stage| stage.model.results.current().map(|curve| curve.summary());
    let (whole, before) = (stage.model.results.rows(), frontier(&stage));
    assert!(whole > 0);
    let last = stage.model.results.current().and_then(|curve| curve.points.last()).map(|point| point.row).unwrap();
    let conc = stage.model.results.sheet.as_ref().unwrap().rows[last].axes.conc.values()[0];
    stage.model.overlay = Overlay::None;
    stage.keys("/");
    stage.paste(&format!("conc:{conc}"));
    stage.keys("Enter");
    assert!(stage.model.results.rows() >= 1);
    assert_eq!(stage.model.results.row().unwrap().axes.conc.values(), [conc], "the row under the cursor is one of the kept");
    assert_eq!(frontier(&stage), before, "what is hidden still counts for the curve");
    stage.keys("Esc");
    assert_eq!(stage.model.results.rows(), whole);
}

#[test]
fn results_are_compared_with_what_is_named() {
    let mut stage = Stage::new(World::new()).open();
    stage.keys("8 A");
    stage.paste("run:");
    stage.keys("Enter");
    assert!(matches!(&stage.model.overlay, Overlay::Typing { wrong: Some(wrong), .. } if wrong.contains("names no run")));
    stage.keys("7 7 Enter");
    let name = |stage: &Stage| stage.model.results.sheet.as_ref().and_then(|sheet| Some(sheet.against.as_ref()?.name.clone()));
    assert!(name(&stage).is_some_and(|name| name.starts_with("run ")), "{:?}", name(&stage));
    // An arm is at hand at once; what cannot be read leaves what was there.
    stage.keys("A");
    stage.paste("arm:spec=none");
    stage.keys("Enter");
    assert!(name(&stage).is_some_and(|name| name.contains("none")), "{:?}", name(&stage));
    stage.keys("A");
    stage.paste("base");
    stage.keys("Enter");
    assert!(stage.notice().starts_with("base: "), "{}", stage.notice());
    assert!(name(&stage).is_some_and(|name| name.contains("none")));
}
