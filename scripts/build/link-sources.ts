import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/**
 * Everything but some folders of sources that are built into `target`, as links to where it is: what tests find by a path relative to
 * their own. Of those folders what is no source, likewise. Gives the paths of the links.
 */
export function linkSources(target: string, built: readonly string[]): readonly string[] {
	const left = [".git", "build", "data", "node_modules", ...built];
	const others = readdirSync(".").filter((name) => !left.includes(name));
	return [...others, ...built.flatMap(findLinked)].map((path) => link(target, path));
}

function findLinked(directory: string): readonly string[] {
	return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
		const path = join(directory, entry.name);
		return entry.isDirectory() && holdsSources(path) ? findLinked(path) : [path];
	});
}

function holdsSources(directory: string): boolean {
	return readdirSync(directory, { recursive: true, encoding: "utf8" }).some((name) => name.endsWith(".ts"));
}

function link(target: string, path: string): string {
	const place = join(target, path);
	const source = relative(dirname(place), path);
	const found = lstatSync(place, { throwIfNoEntry: false });
	if (found?.isSymbolicLink() && readlinkSync(place) === source) return place;
	if (found !== undefined) rmSync(place, { recursive: true });
	mkdirSync(dirname(place), { recursive: true });
	symlinkSync(source, place);
	return place;
}
