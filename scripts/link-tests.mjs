import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";

// The part of the build of tests that the compiler leaves out: everything that sources and tests find by a path relative to
// their own, as links to where it is.
const target = "build/tests";
const compiled = ["core", "plugins", "plugins-auth", "plugins-runner"];
const left = [".git", "build", "data", "node_modules", ...compiled];

for (const name of readdirSync(".")) if (!left.includes(name)) link(name);
for (const directory of compiled) fill(directory);

function fill(directory) {
	mkdirSync(join(target, directory), { recursive: true });
	for (const entry of readdirSync(directory, { withFileTypes: true })) {
		const path = join(directory, entry.name);
		if (entry.isDirectory() && holdsSources(path)) fill(path);
		else link(path);
	}
}

function holdsSources(directory) {
	return readdirSync(directory, { recursive: true }).some((name) => name.endsWith(".ts"));
}

function link(path) {
	const place = join(target, path);
	const source = relative(dirname(place), path);
	const found = lstatSync(place, { throwIfNoEntry: false });
	if (found?.isSymbolicLink() && readlinkSync(place) === source) return;
	if (found !== undefined) rmSync(place, { recursive: true });
	symlinkSync(source, place);
}
