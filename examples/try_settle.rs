use riprap::math::{DVec3, Random, median};
use riprap::scene::{Reach, Settle as Options};
use riprap::shape::{Boundary, Face};
use riprap::step::settle::{Kind, Progress, Settle};
use riprap::world::{Body, Model, State};
use std::time::Instant;
fn clock() -> f64 {
    return cpu_time::ProcessTime::now().as_duration().as_secs_f64();
    #[allow(unreachable_code)]
    static T: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    T.get_or_init(Instant::now).elapsed().as_secs_f64()
}
fn profile(prof: &[[f64; 2]], n: usize) -> Boundary {
    let p = |b: usize, k: usize| {
        let t = std::f64::consts::TAU * (k % n) as f64 / n as f64;
        DVec3::new(prof[b][1] * t.cos(), prof[b][1] * t.sin(), prof[b][0])
    };
    let mut f = vec![];
    let m = prof.len();
    for b in 0..m - 1 {
        for k in 0..n {
            f.push(Face::triangle(p(b, k), p(b, k + 1), p(b + 1, k + 1)));
            f.push(Face::triangle(p(b, k), p(b + 1, k + 1), p(b + 1, k)));
        }
    }
    for k in 0..n {
        f.push(Face::triangle(DVec3::new(0., 0., prof[0][0]), p(0, k + 1), p(0, k)));
        f.push(Face::triangle(DVec3::new(0., 0., prof[m - 1][0]), p(m - 1, k), p(m - 1, k + 1)));
    }
    Boundary::from_faces(f).unwrap()
}
fn cuboid(a: DVec3, b: DVec3) -> Boundary {
    let c = |i: usize| {
        DVec3::new(
            if i & 1 > 0 { b.x } else { a.x },
            if i & 2 > 0 { b.y } else { a.y },
            if i & 4 > 0 { b.z } else { a.z },
        )
    };
    let mut f = vec![];
    for q in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
        f.push(Face::triangle(c(q[0]), c(q[1]), c(q[2])));
        f.push(Face::triangle(c(q[0]), c(q[2]), c(q[3])));
    }
    Boundary::from_faces(f).unwrap()
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let what = a[1].as_str();
    let seed: u64 = a.get(2).map_or(1, |s| s.parse().unwrap());
    let mut rnd = Random::new(seed);
    let mut settle = Options::default();
    let mut pos = vec![];
    let boundary;
    if what.starts_with("hg") {
        boundary = profile(&[[0., 8.], [8., 8.], [16., 2.], [17., 2.], [25., 8.], [40., 8.]], 32);
        let s = 1.05;
        for i in 0..10 {
            for j in 0..10 {
                for k in 0..10 {
                    let v = DVec3::new(i as f64, j as f64, k as f64) * s
                        + DVec3::new(-4.5 * s, -4.5 * s, 25.6);
                    pos.push(
                        v + DVec3::new(
                            rnd.between(-0.02, 0.02),
                            rnd.between(-0.02, 0.02),
                            rnd.between(-0.02, 0.02),
                        ),
                    );
                }
            }
        }
        if what != "hgplain" {
            settle.reach = Reach::GrowingBox;
        }
        if what == "hgl1" {
            settle.conservative = 1e-3;
            settle.proximal = 1e-9;
        }
    } else if what == "stack" {
        boundary = cuboid(DVec3::ZERO, DVec3::new(5., 5., 10.));
        for k in 0..5 {
            pos.push(DVec3::new(2.5, 2.5, 0.5 + k as f64));
        }
    } else {
        let n: usize = what.parse().unwrap();
        let w = 1.2 * n as f64;
        boundary = cuboid(DVec3::ZERO, DVec3::new(w, w, w + 1.));
        for i in 0..n {
            for j in 0..n {
                for k in 0..n {
                    let v = DVec3::new(i as f64, j as f64, k as f64) * 1.2 + DVec3::splat(0.6);
                    pos.push(
                        v + DVec3::new(
                            rnd.between(-0.08, 0.08),
                            rnd.between(-0.08, 0.08),
                            rnd.between(-0.08, 0.08),
                        ),
                    );
                }
            }
        }
    }
    let n = pos.len();
    let model = Model {
        name: what.into(),
        dimension: 3,
        bodies: vec![Body { radius: 0.5, mass: 1., group: 0 }; n],
        groups: vec!["a".into()],
        boundary,
        gravity: -DVec3::Z,
        settle,
        seed,
    };
    let mut state = State { positions: pos };
    let mut m = Settle::new(&model, clock);
    let (mut steps, mut kinds) = (0, [0; 3]);
    let mut times = vec![];
    let mut acts = [0f32; 5];
    let verbose = std::env::var("V").is_ok();
    let t0 = clock();
    loop {
        if let Ok(b) = std::env::var("BENCH") {
            if steps == b.parse::<i32>().unwrap() {
                bench(&mut m, &state);
                return;
            }
        }
        let t = clock();
        let e0 = riprap::energy::energy(&model, &state);
        match m.step(&mut state) {
            Progress::Moved(mv) => {
                steps += 1;
                kinds[match mv.kind {
                    Kind::Settle => 0,
                    Kind::Polish => 1,
                    Kind::Escape => 2,
                }] += 1;
                let ms = (clock() - t) * 1e3;
                times.push(ms);
                let s = m.take_seconds();
                for k in 0..5 {
                    acts[k] += s[k];
                }
                let e = riprap::energy::energy(&model, &state);
                assert!(e <= e0);
                if verbose {
                    eprintln!(
                        "{steps} {:?} E {:.6} gain {:.3e} active {} moving {} rows {} it {} {:.1} ms",
                        mv.kind,
                        e / n as f64,
                        (e0 - e) / n as f64 / 0.5,
                        mv.active,
                        mv.moving,
                        mv.rows,
                        mv.iterations,
                        ms
                    );
                }
            }
            Progress::Rest(r) => {
                println!(
                    "REST steps {steps} kinds {kinds:?} meanz {:.4} residual {:.2e} bound {:.2e} contacts {} null {} unstable {} margin {:.2e}",
                    state.positions.iter().map(|p| p.z).sum::<f64>() / n as f64,
                    r.residual,
                    r.bound,
                    r.contacts.len(),
                    r.null_modes,
                    r.unstable_modes,
                    r.margin
                );
                break;
            }
        }
        if steps > std::env::var("MAX").map_or(2000, |s| s.parse().unwrap()) {
            println!("LIMIT");
            break;
        }
    }
    println!(
        "median {:.1} ms max {:.1} total {:.1} s acts {acts:?}",
        median(times.clone()),
        times.iter().fold(0.0, |a: f64, b| a.max(*b)),
        clock() - t0
    );
}

fn bench(m: &mut Settle, state: &State) {
    use riprap::solver::*;
    let (p, warm) = m.program(state);
    println!("rows {}", p.half_spaces.len());
    let edges = || p.half_spaces.iter().filter(|h| h.b != FIXED).map(|h| (h.a, h.b));
    let mut mat = BlockMatrix::new(3, p.cost.len(), edges());
    for i in 0..p.cost.len() {
        mat.add_node(i as u32, &riprap::math::DMat3::IDENTITY);
    }
    for (a, b) in edges() {
        mat.add_edge(a, b, &riprap::math::DMat3::IDENTITY);
    }
    let t = clock();
    let mut f = Factor::new(&mat);
    println!("symbolic {:.2} ms", 1e3 * (clock() - t));
    for _ in 0..3 {
        let t = clock();
        for _ in 0..10 {
            assert!(f.factorise(&mat));
        }
        println!("factor {:.2} ms", 1e2 * (clock() - t));
        let mut x = vec![1.0; 3 * p.cost.len()];
        let t = clock();
        for _ in 0..10 {
            f.solve(&mut x);
        }
        println!("solve {:.3} ms", 1e2 * (clock() - t));
    }
    for (rel, abs) in [(0.3, 0.0), (0.1, 0.0), (0.0, 1e-5), (0.0, 1e-8)] {
        let t = clock();
        let s = solve(&p, Accuracy { relative: rel, absolute: abs, max_iterations: 100 }, &warm);
        println!(
            "solve rel {rel} abs {abs}: it {} {:.1} ms obj {:.9} left {:.2e} {}",
            s.iterations,
            1e3 * (clock() - t),
            p.objective(&s.motion),
            s.left_to_gain,
            s.converged
        );
        #[cfg(feature = "clarabel")]
        {
            let t = clock();
            let s = reference::solve(
                &p,
                Accuracy { relative: rel.max(1e-9), absolute: abs.max(1e-9), max_iterations: 100 },
            );
            println!(
                "   clarabel it {} {:.1} ms obj {:.9}  {}",
                s.iterations,
                1e3 * (clock() - t),
                p.objective(&s.motion),
                s.converged
            );
        }
    }
}
