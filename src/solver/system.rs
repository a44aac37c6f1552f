//! The symmetric matrix of a Newton step with its factor: faer's where blocks are few, our own
//! multifrontal one, ordered by where the blocks are, where they are many.

use super::matrix;
use crate::math::{DMat3, DVec3};

/// From so many blocks on, order and threads are worth their overhead.
pub(crate) const MANY: usize = 500;

pub(super) enum System {
    Few(matrix::BlockMatrix, matrix::Factor),
    Many(riprap_cholesky::BlockMatrix, riprap_cholesky::Factor),
}

impl System {
    /// A zero matrix with a block for every node and every edge; `places` say where the nodes are,
    /// or nothing.
    pub fn new(
        width: usize,
        nodes: usize,
        edges: impl Iterator<Item = (u32, u32)>,
        places: &[DVec3],
    ) -> Self {
        if nodes < MANY {
            let matrix = matrix::BlockMatrix::new(width, nodes, edges);
            let factor = matrix::Factor::new(&matrix);
            return System::Few(matrix, factor);
        }
        let matrix = riprap_cholesky::BlockMatrix::new(width, nodes, edges);
        let factor = riprap_cholesky::Factor::new(&matrix, places);
        System::Many(matrix, factor)
    }

    pub fn clear(&mut self) {
        match self {
            System::Few(matrix, _) => matrix.clear(),
            System::Many(matrix, _) => matrix.clear(),
        }
    }

    /// Adds `block` to a node's own block.
    pub fn add_node(&mut self, node: u32, block: &DMat3) {
        match self {
            System::Few(matrix, _) => matrix.add_node(node, block),
            System::Many(matrix, _) => matrix.add_node(node, block),
        }
    }

    /// Adds the symmetric `block` to both nodes' own blocks and subtracts it between them.
    pub fn add_edge(&mut self, a: u32, b: u32, block: &DMat3) {
        match self {
            System::Few(matrix, _) => matrix.add_edge(a, b, block),
            System::Many(matrix, _) => matrix.add_edge(a, b, block),
        }
    }

    /// Multiplies the diagonal by `1 + part`.
    pub fn enlarge_diagonal(&mut self, part: f64) {
        match self {
            System::Few(matrix, _) => matrix.enlarge_diagonal(part),
            System::Many(matrix, _) => matrix.enlarge_diagonal(part),
        }
    }

    /// Factorises; `false` if the matrix is not positive definite to working accuracy.
    #[must_use]
    pub fn factorise(&mut self) -> bool {
        match self {
            System::Few(matrix, factor) => factor.factorise(matrix),
            System::Many(matrix, factor) => factor.factorise(matrix),
        }
    }

    /// Replaces `x` by the solution of `matrix * solution = x`.
    pub fn solve(&mut self, x: &mut [f64]) {
        match self {
            System::Few(_, factor) => factor.solve(x),
            System::Many(_, factor) => factor.solve(x),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// Both factors solve the same system.
    #[test]
    fn few_and_many_agree() {
        let random = &mut Random::new(7);
        let side = 11_u32;
        let nodes = side * side * side;
        let place = |i: u32| {
            let at = [i % side, i / side % side, i / side / side];
            DVec3::from_array(at.map(f64::from))
        };
        let places: Vec<DVec3> = (0..nodes).map(place).collect();
        let steps = [1, side, side * side];
        let ahead = |i: u32| steps.into_iter().map(move |step| (i + step, i));
        let edges: Vec<(u32, u32)> =
            (0..nodes).flat_map(ahead).filter(|(a, _)| *a < nodes).collect();
        let few = matrix::BlockMatrix::new(3, nodes as usize, edges.iter().copied());
        let factor = matrix::Factor::new(&few);
        let mut systems = [
            System::Few(few, factor),
            System::new(3, nodes as usize, edges.iter().copied(), &places),
        ];
        assert!(matches!(systems[1], System::Many(..)));
        let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
        for &(a, b) in &edges {
            let block = outer(DVec3::new(random.normal(), random.normal(), random.normal()));
            systems.iter_mut().for_each(|system| system.add_edge(a, b, &block));
        }
        for system in &mut systems {
            (0..nodes).for_each(|i| system.add_node(i, &(DMat3::IDENTITY * 0.1)));
            system.enlarge_diagonal(1e-3);
            assert!(system.factorise());
        }
        let wanted: Vec<f64> = (0..3 * nodes).map(|_| random.between(-1.0, 1.0)).collect();
        let [one, two] = systems.each_mut().map(|system| {
            let mut x = wanted.clone();
            system.solve(&mut x);
            x
        });
        let apart = one.iter().zip(&two).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-10, "{apart:e}");
    }
}
