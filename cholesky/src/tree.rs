//! What is eliminated together: the tree of fronts. A front is a set of pivots with the same
//! neighbours among those that come later, its border; its dense matrix takes up what its
//! children leave behind and leaves behind, in turn, a matrix on its border.

use super::dense::{LANES, triangle};
use super::dissection::Graph;

const NONE: usize = usize::MAX;

/// What fronts cost, in nanoseconds (measured, roughly): an operation, a number of the panel,
/// a number that is left to the parent, and a front as such. Two fronts that cost less as one
/// are merged.
const OPERATION: f64 = 0.05;
const PANEL: f64 = 0.5;
const LEFT: f64 = 1.2;
const FRONT: f64 = 600.0;

/// Pivots that are eliminated together.
#[derive(Debug)]
pub(super) struct Front {
    /// The place of the first pivot in the order of elimination, and their number.
    pub first: usize,
    pub pivots: usize,
    /// The places of the neighbours that come later, ascending.
    pub border: Vec<u32>,
    /// Fronts whose parent this is, ascending, and the first front below all of them.
    pub children: Vec<usize>,
    pub lowest: usize,
    /// Unknowns of the pivots, and of the border, both filled up to whole lanes.
    pub columns: usize,
    pub rows: usize,
    /// Where its panel starts, in lanes.
    pub panel: usize,
    /// Per unknown of the border, its row in the parent.
    pub into: Vec<u32>,
    /// Operations of itself and of all that is below it.
    pub work: f64,
}

impl Front {
    /// Lanes of its panel.
    pub fn panel_len(&self) -> usize {
        (self.columns + self.rows) / LANES * self.columns
    }

    /// Lanes of what it leaves behind.
    pub fn left_len(&self) -> usize {
        triangle(self.rows / LANES)
    }

    /// The row of its matrix at which the unknowns of a block begin.
    pub fn row_of(&self, place: u32, width: usize) -> Option<usize> {
        let place = place as usize;
        if place < self.first + self.pivots {
            return place.checked_sub(self.first).map(|at| at * width);
        }
        let at = self.border.binary_search(&(place as u32)).ok()?;
        Some(self.columns + at * width)
    }
}

/// Fronts, children before parents and each beside what is below it.
#[derive(Debug)]
pub(super) struct Tree {
    pub fronts: Vec<Front>,
    /// The place of every node in the order of elimination.
    pub place: Vec<u32>,
    pub roots: Vec<usize>,
}

/// A front while the tree is made; nodes are named by their places in the first order.
#[derive(Default)]
struct Draft {
    pivots: Vec<u32>,
    border: Vec<u32>,
    children: Vec<usize>,
    merged: bool,
}

/// Lays out the elimination of a graph's nodes, each of `width` unknowns, in an order that only
/// changes among nodes that do not matter to each other.
pub(super) fn tree(graph: &Graph, order: &[u32], width: usize) -> Tree {
    let mut drafts = supernodes(graph, order);
    merge(&mut drafts, width);
    lay_out(drafts, order, width)
}

/// Fronts of nodes with the same later neighbours, in order.
fn supernodes(graph: &Graph, order: &[u32]) -> Vec<Draft> {
    let count = order.len();
    let mut place = vec![0_u32; count];
    for (at, &node) in order.iter().enumerate() {
        place[node as usize] = at as u32;
    }
    let mut drafts: Vec<Draft> = Vec::with_capacity(count);
    // Per place, the fronts whose first border node it is.
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut seen = vec![NONE; count];
    for at in 0..count {
        let children = std::mem::take(&mut waiting[at]);
        let mut border = Vec::new();
        let own = graph.of(order[at]).iter().map(|&node| place[node as usize]);
        let below = children.iter().flat_map(|&child| drafts[child].border.iter().copied());
        for other in own.chain(below).filter(|&other| other as usize > at) {
            if std::mem::replace(&mut seen[other as usize], at) != at {
                border.push(other);
            }
        }
        let same = |&&child: &&usize| drafts[child].border.len() == border.len() + 1;
        let front = match children.iter().rev().find(same).copied() {
            Some(same) => {
                let others = children.iter().copied().filter(|&child| child != same);
                drafts[same].children.extend(others);
                same
            }
            None => {
                drafts.push(Draft { children, ..Draft::default() });
                drafts.len() - 1
            }
        };
        drafts[front].pivots.push(at as u32);
        if let Some(&parent) = border.iter().min() {
            waiting[parent as usize].push(front);
        }
        drafts[front].border = border;
    }
    drafts
}

/// Merges children into parents where that is cheaper.
fn merge(drafts: &mut [Draft], width: usize) {
    // A front was made with its first pivot; its last decides when it is eliminated.
    let mut by_last: Vec<usize> = (0..drafts.len()).collect();
    by_last.sort_unstable_by_key(|&front| drafts[front].pivots.last().copied());
    for parent in by_last {
        let mut children = std::mem::take(&mut drafts[parent].children);
        children.sort_unstable_by_key(|&child| std::cmp::Reverse(drafts[child].border.len()));
        let mut kept = Vec::new();
        for child in children {
            let (pivots, border) = (drafts[parent].pivots.len(), drafts[parent].border.len());
            let (more, its) = (drafts[child].pivots.len(), drafts[child].border.len());
            let apart = cost(pivots, border, width) + cost(more, its, width);
            if cost(pivots + more, border, width) < apart {
                let Draft { pivots, children, .. } = std::mem::take(&mut drafts[child]);
                drafts[child].merged = true;
                drafts[parent].pivots.splice(0..0, pivots);
                kept.extend(children);
            } else {
                kept.push(child);
            }
        }
        drafts[parent].children = kept;
    }
}

/// Operations of a front.
fn operations(pivots: f64, border: f64) -> f64 {
    pivots * (pivots * pivots / 3.0 + border * (pivots + border))
}

fn cost(pivots: usize, border: usize, width: usize) -> f64 {
    let [pivots, border] =
        [pivots, border].map(|nodes| (nodes * width).next_multiple_of(LANES) as f64);
    let left = LEFT * border * border / 2.0;
    let panel = PANEL * pivots * (pivots + border);
    FRONT + left + panel + OPERATION * operations(pivots, border)
}

/// Numbers fronts and pivots, children before parents.
fn lay_out(drafts: Vec<Draft>, order: &[u32], width: usize) -> Tree {
    let mut has_parent = vec![false; drafts.len()];
    for &child in drafts.iter().flat_map(|draft| &draft.children) {
        has_parent[child] = true;
    }
    let roots = (0..drafts.len()).filter(|&front| !drafts[front].merged && !has_parent[front]);
    // Depth first, parents before children: turned round, it is the order we want.
    let mut open: Vec<usize> = roots.collect();
    let mut reversed = Vec::with_capacity(drafts.len());
    while let Some(front) = open.pop() {
        reversed.push(front);
        open.extend(&drafts[front].children);
    }
    let mut number = vec![NONE; drafts.len()];
    // From places in the first order to those in the last one.
    let mut moved = vec![0_u32; order.len()];
    let mut first = 0;
    for (at, &front) in reversed.iter().rev().enumerate() {
        number[front] = at;
        for (k, &pivot) in drafts[front].pivots.iter().enumerate() {
            moved[pivot as usize] = (first + k) as u32;
        }
        first += drafts[front].pivots.len();
    }
    let mut place = vec![0_u32; order.len()];
    for (at, &node) in order.iter().enumerate() {
        place[node as usize] = moved[at];
    }
    let mut tree = Tree { fronts: Vec::with_capacity(reversed.len()), place, roots: Vec::new() };
    let (mut first, mut panel) = (0, 0);
    for (at, &front) in reversed.iter().rev().enumerate() {
        let draft = &drafts[front];
        let mut border: Vec<u32> = draft.border.iter().map(|&old| moved[old as usize]).collect();
        border.sort_unstable();
        let mut children: Vec<usize> = draft.children.iter().map(|&child| number[child]).collect();
        children.sort_unstable();
        let [columns, rows] =
            [draft.pivots.len(), border.len()].map(|nodes| (nodes * width).next_multiple_of(LANES));
        let own = operations(columns as f64, rows as f64);
        let below: f64 = children.iter().map(|&child| tree.fronts[child].work).sum();
        let front = Front {
            first,
            pivots: draft.pivots.len(),
            border,
            lowest: children.first().map_or(at, |&child| tree.fronts[child].lowest),
            children,
            columns,
            rows,
            panel,
            into: Vec::new(),
            work: own + below,
        };
        first += front.pivots;
        panel += front.panel_len();
        tree.fronts.push(front);
    }
    for parent in 0..tree.fronts.len() {
        for child in tree.fronts[parent].children.clone() {
            let rows = tree.fronts[child].border.iter().flat_map(|&place| {
                let row = tree.fronts[parent].row_of(place, width).expect("a row of the parent");
                (0..width).map(move |k| (row + k) as u32)
            });
            tree.fronts[child].into = rows.collect();
        }
    }
    tree.roots = (0..tree.fronts.len()).filter(|&f| tree.fronts[f].border.is_empty()).collect();
    tree
}
