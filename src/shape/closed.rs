//! Whether a mesh is the surface of a solid. The checks go from cheap to
//! dear, and each relies on those before it; all but the last use no rounded
//! arithmetic, so that a mesh is refused for what it is and not for an unlucky sum.

use super::groups::Groups;
use super::meet::{
    is_degenerate, triangles_meet, triangles_meet_beyond_edge, triangles_meet_beyond_vertex,
};
use super::{Aabb, Boundary, Bvh, Mesh};
use crate::math::DVec3;
use crate::problem::{Problem, Result};

/// An edge between two triangles that run along it in opposite directions.
struct Edge {
    ends: [u32; 2],
    triangles: [u32; 2],
}

impl Mesh {
    /// An error unless the mesh is the closed, outward-oriented, non-self-touching surface of a solid.
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
    /// | triangles that cross, touch or overlap in a plane | exactly, also if they share a vertex or an edge |
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
        let mut fans = Groups::new(3 * self.triangles.len());
        let corner_at = |triangle: u32, vertex: u32| {
            let corners = self.triangles[triangle as usize];
            3 * triangle as usize + corners.iter().position(|&corner| corner == vertex).unwrap_or(0)
        };
        for &Edge { ends, triangles: [first, second] } in edges {
            for vertex in ends {
                fans.join(corner_at(first, vertex), corner_at(second, vertex));
            }
        }
        let mut fan_of: Vec<Option<usize>> = vec![None; self.vertices.len()];
        for (corner, &vertex) in self.triangles.as_flattened().iter().enumerate() {
            let fan = fans.find(corner);
            if *fan_of[vertex as usize].get_or_insert(fan) != fan {
                let place = self.vertices[vertex as usize];
                return Err(Problem::new(format!("the mesh touches itself at the vertex {place}"))
                    .help(
                        "separate the parts that meet there, or join them along more than a point",
                    ));
            }
        }
        Ok(())
    }

    fn check_crossings(&self) -> Result<()> {
        let corners: Vec<[DVec3; 3]> = self.corners().collect();
        let boxes: Vec<Aabb> = corners.iter().map(|&corners| Aabb::from_points(corners)).collect();
        let meets = |&(a, b): &(u32, u32)| self.meet_beyond_neighbourhood(a as usize, b as usize);
        match Bvh::new(&boxes).pairs().into_iter().find(meets) {
            Some((a, b)) => {
                let [first, second] = [a, b].map(|index| self.describe(index as usize));
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
        let boxes: Vec<Aabb> = parts.iter().map(|(_, part)| part.bounds()).collect();
        let tree = Bvh::new(&boxes);
        let mut solids: Vec<Option<Boundary>> = vec![None; parts.len()];
        for (index, (triangle, part)) in parts.iter().enumerate() {
            let probe = part.vertices[0];
            let mut around = Vec::new();
            tree.overlapping(&Aabb::from_points([probe]), &mut around);
            let mut depth = 0;
            for other in
                around.into_iter().map(|other| other as usize).filter(|&other| other != index)
            {
                let solid = solids[other].get_or_insert_with(|| parts[other].1.outward());
                depth += usize::from(solid.contains(probe));
            }
            let volume = part.volume();
            let name = match parts.len() {
                1 => "the mesh".to_string(),
                _ => format!("the part of the mesh with {}", self.describe(*triangle)),
            };
            if depth % 2 == 0 && volume <= 0.0 {
                return Err(Problem::new(format!("{name} is inside-out: its volume is {volume}"))
                    .help("flip its triangles: counter-clockwise seen from outside"));
            }
            if depth % 2 == 1 && volume >= 0.0 {
                return Err(Problem::new(format!(
                    "{name} lies inside another part that is solid there"
                ))
                .help("remove it, or flip its triangles to make it a cavity"));
            }
        }
        Ok(())
    }

    /// The connected parts, each with the number of its first triangle.
    fn parts(&self, edges: &[Edge]) -> Vec<(usize, Mesh)> {
        let mut groups = Groups::new(self.triangles.len());
        for &Edge { triangles: [first, second], .. } in edges {
            groups.join(first as usize, second as usize);
        }
        let mut corners_of: Vec<Vec<[DVec3; 3]>> = vec![Vec::new(); self.triangles.len()];
        for (index, corners) in self.corners().enumerate() {
            corners_of[groups.find(index)].push(corners);
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
        let [a, b, c] = self.triangles[triangle].map(|index| self.vertices[index as usize]);
        format!("triangle {triangle} (counted from 0, corners {a}, {b}, {c})")
    }

    fn describe_edge(&self, ends: [u32; 2]) -> String {
        let [a, b] = ends.map(|index| self.vertices[index as usize]);
        format!("the edge from {a} to {b}")
    }
}
