//! The certificate of a compaction: the forces with which the pieces resist
//! the wall, and the chain of pieces that carries them.

use super::bodies::Bodies;
use super::program::{Cell, Party};
use crate::solver::Solution;

/// Forces below this part of the wall's push are rounding.
pub(super) const FELT: f64 = 1e-4;

/// Why the strip cannot be made shorter by sliding.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The contacts that resist, the strongest first.
    pub links: Vec<Link>,
    /// From the wall, always along the strongest contact that leads on, to
    /// what does not move.
    pub path: Vec<Member>,
    /// No motion inside the last cell shortens the strip by more than this.
    pub left_to_gain: f64,
}

/// A contact and its force, the wall's push being 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Who touches whom.
    pub members: [Member; 2],
    /// How hard they press.
    pub force: f64,
    /// From the middle of one to the middle of the other (to the side or wall, straight).
    pub line: [[f64; 2]; 2],
}

/// A part of a chain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Member {
    /// A piece, by its number in the layout.
    Piece(usize),
    /// The wall that moves.
    Wall,
    /// A side of the strip that stays.
    Side,
}

impl Chain {
    pub(super) fn new(bodies: &Bodies, cell: &Cell, solution: &Solution) -> Self {
        let rows = cell.parties.iter().zip(&cell.program.half_spaces).zip(&solution.multipliers);
        let mut links: Vec<Link> = rows
            .filter(|(_, force)| **force > FELT)
            .map(|((parties, row), force)| Link {
                members: parties.map(member),
                force: *force,
                line: line(bodies, *parties, row.normal),
            })
            .collect();
        links.sort_by(|x, y| y.force.total_cmp(&x.force).then_with(|| x.members.cmp(&y.members)));
        let path = path(bodies, &links);
        Chain { links, path, left_to_gain: bodies.scale * solution.left_to_gain }
    }
}

fn member(party: Party) -> Member {
    match party {
        Party::Piece(i) => Member::Piece(i),
        Party::Wall => Member::Wall,
        Party::Side(_) => Member::Side,
    }
}

fn line(bodies: &Bodies, parties: [Party; 2], normal: crate::math::DVec3) -> [[f64; 2]; 2] {
    let middle = |party: Party| match party {
        Party::Piece(i) => Some((i, bodies.centre(i))),
        _ => None,
    };
    match parties.map(middle) {
        [Some((_, a)), Some((_, b))] => [a, b],
        [Some((i, a)), None] | [None, Some((i, a))] => {
            // Straight from the middle of the piece to where it ends.
            let out = if parties[0] == Party::Wall { normal } else { -normal };
            let reach = bodies.scale * bodies.support(i, out) - (a[0] * out.x + a[1] * out.y);
            [a, [a[0] + reach * out.x, a[1] + reach * out.y]]
        }
        [None, None] => [[0.0; 2]; 2],
    }
}

/// Follows the strongest links from the wall, depth first, to a side or a fixed piece.
fn path(bodies: &Bodies, links: &[Link]) -> Vec<Member> {
    let mut path = vec![Member::Wall];
    let mut seen = vec![Member::Wall];
    while let Some(at) = path.last().cloned() {
        let rests = match at {
            Member::Side => true,
            Member::Piece(i) => bodies.pieces[i].block.is_none(),
            Member::Wall => false,
        };
        if rests {
            return path;
        }
        let next = links.iter().find_map(|link| {
            let [a, b] = &link.members;
            let other = if *a == at {
                b
            } else if *b == at {
                a
            } else {
                return None;
            };
            (!seen.contains(other)).then(|| other.clone())
        });
        match next {
            Some(member) => {
                seen.push(member.clone());
                path.push(member);
            }
            None => {
                path.pop();
            }
        }
    }
    path
}
