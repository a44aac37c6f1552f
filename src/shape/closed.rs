//! Whether a mesh is the surface of a solid. The checks go from cheap to
//! dear, and each relies on those before it; all but the last use no rounded
//! arithmetic, so that a mesh is refused for what it is and not for an unlucky sum.

use super::meet::{
    is_degenerate, triangles_meet, triangles_meet_beyond_edge, triangles_meet_beyond_vertex,
};
use super::{Aabb, Boundary, Bvh, Mesh, UnionFind};
use crate::math::DVec3;
use crate::problem::{Problem, Result, few_digits};
use rayon::prelude::*;

/// An edge between two triangles that run along it in opposite directions.
struct Edge {
    ends: [u32; 2],
    triangles: [u32; 2],
}

impl Mesh {
    /// An error unless the mesh is the closed, outward-oriented, non-self-touching
    /// surface of a solid.
    ///
    /// | defect | found |
    /// |---|---|
    /// | no triangles; a vertex number or coordinate that makes no sense | always |
    /// | a triangle without area | exactly, also if its corners differ |
    /// | the same triangle twice, whichever way round | always |
    /// | an edge with one triangle (a hole) | always; how many there are is said |
    /// | an edge with three or more triangles | always |
    /// | neighbours of opposite orientation | always |
    /// | two fans of triangles that share nothing but a vertex | always |
    /// | triangles that cross, touch or overlap in a plane | exactly, also between neighbours |
    /// | a mesh, or one part of it, that is inside-out | by the sign of its volume |
    /// | a solid inside a solid, a cavity outside of one | always |
    /// | nearly equal vertices, very thin triangles or walls | not a defect: accepted |
    ///
    /// Separate parts and cavities are allowed. The normals of a cavity point
    /// into it, as all normals point out of the solid.
    pub fn check_closed(&self) -> Result<()> {
        self.check_numbers()?;
        self.check_triangles()?;
        let edges = self.edges()?;
        self.check_vertices(&edges)?;
        self.check_crossings()?;
        self.check_orientation(&edges)
    }

    fn check_numbers(&self) -> Result<()> {
        if self.triangles.is_empty() {
            return Err(Problem::new("the mesh has no triangles"));
        }
        let count = self.vertices.len();
        let outside = |triangle: &&[u32; 3]| triangle.iter().any(|&index| index as usize >= count);
        if let Some(triangle) = self.triangles.iter().find(outside) {
            let message =
                format!("the triangle {triangle:?} refers to a vertex that does not exist");
            return Err(
                Problem::new(message).help(format!("there are {count} vertices, counted from 0"))
            );
        }
        match self.vertices.iter().position(|vertex| !vertex.is_finite()) {
            Some(index) => {
                Err(Problem::new(format!("vertex {index} is at {}", self.vertices[index]))
                    .help("coordinates are finite numbers"))
            }
            None => Ok(()),
        }
    }

    fn check_triangles(&self) -> Result<()> {
        if let Some(index) = self.corners().position(is_degenerate) {
            let message = format!("{} has no area", self.describe(index));
            return Err(
                Problem::new(message).help("remove degenerate triangles before closing the mesh")
            );
        }
        let mut sorted: Vec<([u32; 3], usize)> = self.triangles.iter().copied().zip(0..).collect();
        for (triangle, _) in &mut sorted {
            triangle.sort_unstable();
        }
        sorted.sort_unstable();
        let twice = sorted.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        match twice.map(|pair| (pair[0].1, pair[1].1)).min() {
            Some((first, second)) => {
                let message =
                    format!("{} appears again as triangle {second}", self.describe(first));
                Err(Problem::new(message).help("remove the duplicate"))
            }
            None => Ok(()),
        }
    }

    /// The edges, if each has exactly two triangles, of equal orientation.
    fn edges(&self) -> Result<Vec<Edge>> {
        let mut sides: Vec<([u32; 2], usize, bool)> = Vec::with_capacity(3 * self.triangles.len());
        for (index, &[a, b, c]) in self.triangles.iter().enumerate() {
            sides.extend(
                [[a, b], [b, c], [c, a]].map(|[p, q]| ([p.min(q), p.max(q)], index, p < q)),
            );
        }
        sides.sort_unstable();
        let by_edge = || sides.chunk_by(|a, b| a.0 == b.0);

        let open: Vec<[u32; 2]> =
            by_edge().filter(|edge| edge.len() == 1).map(|edge| edge[0].0).collect();
        if let Some(&first) = open.first() {
            return Err(self.open_edges(first, open.len()));
        }
        by_edge()
            .map(|edge| match *edge {
                [(ends, first, up), (_, second, also_up)] if up != also_up => {
                    Ok(Edge { ends, triangles: [first as u32, second as u32] })
                }
                [(ends, first, _), (_, second, _)] => Err(Problem::new(format!(
                    "the triangles {first} and {second} run the same way along {}",
                    self.describe_edge(ends)
                ))
                .help("neighbours have the same orientation: flip one of the two")),
                _ => Err(Problem::new(format!(
                    "{} triangles meet at {}",
                    edge.len(),
                    self.describe_edge(edge[0].0)
                ))
                .help("the surface of a solid has two triangles at every edge")),
            })
            .collect()
    }

    fn open_edges(&self, first: [u32; 2], count: usize) -> Problem {
        let others = match count {
            1 => String::new(),
            2 => ", as does one more edge".to_string(),
            _ => format!(", as do {} more edges", count - 1),
        };
        Problem::new(format!(
            "the mesh is open: {} belongs to only one triangle{others}",
            self.describe_edge(first)
        ))
        .help("fill the holes, and let neighbouring triangles have exactly equal corners")
    }

    /// Around each vertex, neighbours lead from any triangle to any other.
    fn check_vertices(&self, edges: &[Edge]) -> Result<()> {
        let mut fans = UnionFind::new(3 * self.triangles.len());
        let corner_at = |triangle: u32, vertex: u32| {
            let corners = self.triangles[triangle as usize];
            3 * triangle as usize + corners.iter().position(|&corner| corner == vertex).unwrap_or(0)
        };
        for &Edge { ends, triangles: [first, second] } in edges {
            for vertex in ends {
                fans.union(corner_at(first, vertex), corner_at(second, vertex));
            }
        }
        let mut fan_of: Vec<Option<usize>> = vec![None; self.vertices.len()];
        for (corner, &vertex) in self.triangles.as_flattened().iter().enumerate() {
            let fan = fans.find(corner);
            if *fan_of[vertex as usize].get_or_insert(fan) != fan {
                let place = self.vertices[vertex as usize];
                let message = format!("the mesh touches itself at the vertex {place}");
                return Err(Problem::new(message)
                    .help("separate the parts that meet there, or join them along an edge"));
            }
        }
        Ok(())
    }

    fn check_crossings(&self) -> Result<()> {
        let boxes: Vec<Aabb> = self.corners().map(Aabb::from_points).collect();
        let tree = Bvh::new(&boxes);
        // One query per triangle and no list of all pairs: of a bundle of long,
        // slanting triangles all boxes meet, and the list would fill the memory.
        let first_met = |a: usize| {
            let mut near = Vec::new();
            tree.overlapping(&boxes[a], &mut near);
            let later = near.into_iter().map(|b| b as usize).filter(|&b| b > a);
            later.map(|b| (a, b)).find(|&(a, b)| self.meet_beyond_neighbourhood(a, b))
        };
        match (0..boxes.len()).into_par_iter().find_map_first(first_met) {
            Some((a, b)) => {
                let [first, second] = [a, b].map(|index| self.describe(index));
                Err(Problem::new(format!(
                    "the mesh cuts or touches itself: {first} meets {second}"
                ))
                .help("repair the mesh so that triangles meet at common edges and vertices only"))
            }
            None => Ok(()),
        }
    }

    /// Whether two triangles have a point in common that is not on a common vertex or edge.
    fn meet_beyond_neighbourhood(&self, a: usize, b: usize) -> bool {
        let [mut a, mut b] = [self.triangles[a], self.triangles[b]];
        let mut shared = 0;
        for k in 0..3 {
            if let Some(l) = (shared..3).find(|&l| a[k] == b[l]) {
                a.swap(shared, k);
                b.swap(shared, l);
                shared += 1;
            }
        }
        let [a, b] = [a, b].map(|triangle| triangle.map(|index| self.vertices[index as usize]));
        match shared {
            0 => triangles_meet(a, b),
            1 => triangles_meet_beyond_vertex(a, b),
            2 => triangles_meet_beyond_edge(a, b),
            _ => true,
        }
    }

    /// Every part has the orientation that its depth in the other parts demands.
    fn check_orientation(&self, edges: &[Edge]) -> Result<()> {
        let parts = self.parts(edges);
        for ((first, part), depth) in parts.iter().zip(depths(&parts)) {
            let volume = part.volume();
            let name = || match parts.len() {
                1 => "the mesh".to_string(),
                _ => format!("the part of the mesh with {}", self.describe(*first)),
            };
            if depth % 2 == 0 && volume <= 0.0 {
                let message = format!("{} is inside-out: its volume is {volume}", name());
                return Err(Problem::new(message)
                    .help("flip its triangles: counter-clockwise seen from outside"));
            }
            if depth % 2 == 1 && volume >= 0.0 {
                let message = format!("{} lies inside another part that is solid there", name());
                return Err(Problem::new(message)
                    .help("remove it, or flip its triangles to make it a cavity"));
            }
        }
        Ok(())
    }

    /// The connected parts, each with the number of its first triangle.
    fn parts(&self, edges: &[Edge]) -> Vec<(usize, Mesh)> {
        let mut shells = UnionFind::new(self.triangles.len());
        for &Edge { triangles: [first, second], .. } in edges {
            shells.union(first as usize, second as usize);
        }
        let mut corners_of: Vec<Vec<[DVec3; 3]>> = vec![Vec::new(); self.triangles.len()];
        for (index, corners) in self.corners().enumerate() {
            corners_of[shells.find(index)].push(corners);
        }
        let parts = corners_of.iter().enumerate().filter(|(_, corners)| !corners.is_empty());
        parts.map(|(first, corners)| (first, Mesh::from_triangles(corners))).collect()
    }

    /// The boundary of the solid inside a part, whichever way the part is oriented.
    fn outward(&self) -> Boundary {
        let mut mesh = self.clone();
        if mesh.volume() < 0.0 {
            mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        Boundary::from_mesh(&mesh)
    }

    fn describe(&self, triangle: usize) -> String {
        let [a, b, c] = self.triangles[triangle].map(|index| self.told(index));
        format!("triangle {triangle} (counted from 0, corners {a}, {b}, {c})")
    }

    /// Where a vertex is, in a few digits.
    fn told(&self, index: u32) -> DVec3 {
        DVec3::from_array(self.vertices[index as usize].to_array().map(few_digits))
    }

    fn describe_edge(&self, ends: [u32; 2]) -> String {
        let [a, b] = ends.map(|index| self.told(index));
        format!("the edge from {a} to {b}")
    }
}

/// For each part, how many others enclose it. Parts do not meet, so any vertex stands for its part.
fn depths(parts: &[(usize, Mesh)]) -> Vec<usize> {
    let boxes: Vec<Aabb> = parts.iter().map(|(_, part)| part.bounds()).collect();
    let tree = Bvh::new(&boxes);
    let mut solids: Vec<Option<Boundary>> = vec![None; parts.len()];
    let mut depth = |index: usize| {
        let probe = parts[index].1.vertices[0];
        let mut around = Vec::new();
        tree.overlapping(&Aabb::from_points([probe]), &mut around);
        around.retain(|&other| other as usize != index);
        let encloses = |&&other: &&u32| {
            let other = other as usize;
            solids[other].get_or_insert_with(|| parts[other].1.outward()).contains(probe)
        };
        around.iter().filter(encloses).count()
    };
    (0..parts.len()).map(&mut depth).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cube(from: f64, to: f64) -> Mesh {
        Mesh::cuboid(DVec3::splat(from), DVec3::splat(to))
    }

    fn flipped(mut mesh: Mesh) -> Mesh {
        mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
        mesh
    }

    /// The triangles of all meshes in one, equal vertices joined.
    fn together(meshes: &[Mesh]) -> Mesh {
        Mesh::from_triangles(&meshes.iter().flat_map(Mesh::corners).collect::<Vec<_>>())
    }

    fn refusal(mesh: &Mesh) -> String {
        mesh.check_closed().unwrap_err().to_string()
    }

    #[track_caller]
    fn assert_refused(mesh: &Mesh, expected: &str) {
        let found = refusal(mesh);
        assert!(found.contains(expected), "\"{found}\" does not contain \"{expected}\"");
    }

    #[test]
    fn nothing_is_no_solid() {
        assert_refused(&Mesh::default(), "the mesh has no triangles");
    }

    #[test]
    fn vertices_that_do_not_exist_are_found() {
        let mut mesh = cube(0.0, 1.0);
        mesh.triangles[3] = [7, 8, 0];
        assert_refused(&mesh, "the triangle [7, 8, 0] refers to a vertex that does not exist");
        mesh = cube(0.0, 1.0);
        mesh.vertices[5].y = f64::NAN;
        assert_refused(&mesh, "vertex 5 is at [1, NaN, 1]");
    }

    #[test]
    fn degenerate_triangles_are_found() {
        let mut mesh = cube(0.0, 1.0);
        mesh.triangles.push([0, 1, 1]);
        assert_refused(
            &mesh,
            "triangle 12 (counted from 0, corners [0, 0, 0], [1, 0, 0], [1, 0, 0]) has no area",
        );
        mesh.vertices.push(DVec3::new(0.5, 0.0, 0.0));
        mesh.triangles[12] = [0, 8, 1];
        assert_refused(&mesh, "triangle 12");
    }

    #[test]
    fn duplicate_triangles_are_found_whichever_way_round() {
        let mut mesh = cube(0.0, 1.0);
        let [a, b, c] = mesh.triangles[4];
        mesh.triangles.push([b, c, a]);
        assert_refused(&mesh, "appears again as triangle 12");
        mesh.triangles[12] = [c, b, a];
        assert_refused(&mesh, "triangle 4 (counted from 0");
    }

    #[test]
    fn holes_are_found_and_counted() {
        let mut mesh = cube(0.0, 1.0);
        mesh.triangles.pop();
        assert_refused(
            &mesh,
            "the mesh is open: the edge from [1, 0, 0] to [1, 0, 1] belongs to only one triangle, as do 2 more edges",
        );
        // A slit: two vertices where there should be one.
        let mut mesh = cube(0.0, 1.0);
        mesh.vertices.push(mesh.vertices[0]);
        mesh.triangles[0][0] = 8;
        assert_refused(&mesh, "the mesh is open");
    }

    #[test]
    fn neighbours_of_opposite_orientation_are_found() {
        let mut mesh = cube(0.0, 1.0);
        mesh.triangles[1].swap(0, 1);
        assert_refused(
            &mesh,
            "the triangles 1 and 4 run the same way along the edge from [0, 0, 0] to [1, 0, 0]",
        );
    }

    #[test]
    fn an_edge_with_four_triangles_is_found() {
        let beside = Mesh::cuboid(DVec3::new(1.0, 1.0, 0.0), DVec3::new(2.0, 2.0, 1.0));
        let mesh = together(&[cube(0.0, 1.0), beside]);
        assert_refused(&mesh, "4 triangles meet at the edge from [1, 1, 0] to [1, 1, 1]");
    }

    #[test]
    fn parts_that_share_only_a_vertex_are_found() {
        let mesh = together(&[cube(0.0, 1.0), cube(1.0, 2.0)]);
        assert_refused(&mesh, "the mesh touches itself at the vertex [1, 1, 1]");
        let pinched = Mesh::profile(&[[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]], 5);
        assert_refused(&pinched, "the mesh touches itself at the vertex [0, 0, 1]");
    }

    #[test]
    fn parts_that_cross_or_touch_are_found() {
        let message = "the mesh cuts or touches itself: triangle";
        assert_refused(&together(&[cube(0.0, 2.0), cube(1.0, 3.0)]), message);
        // A corner in the middle of a face, then just before it.
        let spike = |tip: f64| {
            let shape = Mesh::profile(&[[tip, 0.0], [3.0, 0.5]], 4);
            together(&[Mesh::cuboid(DVec3::new(-2.0, -1.0, 0.0), DVec3::ONE), shape])
        };
        assert_refused(&spike(1.0), message);
        assert_eq!(spike(1.0 + f64::EPSILON).check_closed(), Ok(()));
        // Faces in one plane, overlapping without crossing.
        let on_top = Mesh::cuboid(DVec3::new(0.25, 0.5, 1.0), DVec3::new(0.75, 0.75, 2.0));
        assert_refused(&together(&[cube(0.0, 1.0), on_top]), message);
    }

    #[test]
    fn neighbours_that_fold_onto_each_other_are_found() {
        // The top of a cuboid, split at a vertex that has been pulled far across the rim.
        let mut mesh = Mesh::profile(&[[0.0, 1.0], [1.0, 1.0]], 6);
        mesh.vertices[13] = DVec3::new(3.0, 0.0, 1.0);
        assert_refused(&mesh, "the mesh cuts or touches itself");
    }

    #[test]
    fn inside_out_is_found() {
        assert_refused(&flipped(cube(0.0, 2.0)), "the mesh is inside-out: its volume is -8");
        let beside = flipped(cube(3.0, 4.0));
        assert_refused(
            &together(&[cube(0.0, 2.0), beside]),
            "the part of the mesh with triangle 12 (counted from 0, corners [3, 4, 3], [3, 3, 3], [4, 4, 3]) is inside-out",
        );
    }

    #[test]
    fn nested_parts_must_alternate() {
        let nest =
            [cube(0.0, 9.0), flipped(cube(1.0, 8.0)), cube(2.0, 7.0), flipped(cube(3.0, 6.0))];
        assert_eq!(together(&nest).check_closed(), Ok(()));
        assert_refused(
            &together(&[cube(0.0, 9.0), cube(1.0, 8.0)]),
            "lies inside another part that is solid there",
        );
        let double_cavity = [cube(0.0, 9.0), flipped(cube(1.0, 8.0)), flipped(cube(2.0, 7.0))];
        assert_refused(&together(&double_cavity), "is inside-out");
    }

    #[test]
    fn separate_parts_are_fine() {
        assert_eq!(
            together(&[cube(0.0, 1.0), cube(2.0, 3.0), cube(4.0, 5.0)]).check_closed(),
            Ok(())
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        /// Whatever single triangle is removed, flipped, doubled or bent to
        /// another vertex, a closed mesh stays closed only if nothing changed.
        #[test]
        fn no_single_defect_goes_unnoticed(
            triangle in 0..64usize, corner in 0..3usize, vertex in 0..34u32,
        ) {
            let good = Mesh::profile(&[[0.0, 1.0], [1.0, 0.5], [3.0, 1.5]], 8);
            let triangle = triangle % good.triangles.len();
            let mut missing = good.clone();
            missing.triangles.remove(triangle);
            prop_assert!(missing.check_closed().is_err());
            let mut turned = good.clone();
            turned.triangles[triangle].swap(0, 1);
            prop_assert!(turned.check_closed().is_err());
            let mut doubled = good.clone();
            doubled.triangles.push(good.triangles[triangle]);
            prop_assert!(doubled.check_closed().is_err());
            let mut bent = good.clone();
            bent.triangles[triangle][corner] = vertex % good.vertices.len() as u32;
            prop_assert!(bent == good || bent.check_closed().is_err());
        }

        /// Two boxes at random places: refused exactly if they have a point in common.
        #[test]
        fn boxes_are_refused_if_they_meet(
            place in [-3..4i32, -3..4, -3..4], size in [1..3i32, 1..3, 1..3],
        ) {
            let [min, size] = [place, size].map(|v| DVec3::from_array(v.map(f64::from)));
            let other = Mesh::cuboid(min, min + size);
            let apart = !other.bounds().overlaps(&cube(0.0, 2.0).bounds());
            prop_assert_eq!(together(&[cube(0.0, 2.0), other]).check_closed().is_ok(), apart);
        }
    }
}
