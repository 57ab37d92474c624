import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { PackRequest } from "../sources/parse-request.ts";
import { type KnownPack, PackSet } from "./pack-set.ts";

interface Shelf {
	readonly [name: string]: { readonly version?: string; readonly dependencies?: readonly unknown[]; readonly ref?: string };
}

const parse = (text: string): PackRequest => {
	if (text.startsWith("-")) throw new Error("begins with a dash");
	const [name = "", revision] = text.split("=");
	if (/^(?:\/|file:)/.test(text)) return { text, kind: "directory", address: name, ...(revision !== undefined && { revision }) };
	return { text, kind: "index", name, ...(revision !== undefined && { revision }) };
};

function installed(ref: string, version: string, dependencies: readonly string[] = []): KnownPack {
	return { ref, version, metadata: { dependencies }, source: { address: `https://packs.example/${ref}` } };
}

/** Collect packs from a shelf that has each by its name. */
async function collect(
	asked: readonly string[],
	shelf: Shelf,
	options: { readonly installed?: readonly KnownPack[]; readonly force?: boolean; readonly skipDependencies?: boolean } = {},
) {
	const fetched: string[] = [];
	const set = new PackSet({
		...{ installed: [], force: false, skipDependencies: false, ...options },
		parse,
		async fetch({ text, name = "", revision }) {
			fetched.push(text);
			const { version = "1.0.0", dependencies = [], ref = name } = shelf[text] ?? shelf[name] ?? {};
			const source = { kind: "git", address: `https://packs.example/${name}`, revision: revision ?? null } as const;
			return {
				...{ ref, version, directory: `/staging/${name}`, metadata: { dependencies: dependencies as string[] } },
				source: { ...source, commit: "c0ffee", subdirectory: null, index: null },
			};
		},
	});
	await set.collect(asked.map(parse));
	return { order: set.ordered().map(({ ref }) => ref), conflicts: set.conflicts, warnings: set.warnings, fetched };
}

test("what a pack depends on comes before it, and once", async () => {
	const shelf = { a: { dependencies: ["b", "c"] }, b: { dependencies: ["c"] }, c: {} };
	assert.deepEqual(await collect(["a"], shelf), { order: ["c", "b", "a"], conflicts: [], warnings: [], fetched: ["a", "b", "c"] });
	assert.deepEqual((await collect(["a", "b", "a"], shelf)).order, ["c", "b", "a"]);
});

test("what is installed in a fitting version is not fetched", async () => {
	const shelf = { a: { dependencies: ["b=1.2.x"] } };
	const { order, conflicts, fetched } = await collect(["a"], shelf, { installed: [installed("b", "1.2.9")] });
	assert.deepEqual({ order, conflicts, fetched }, { order: ["a"], conflicts: [], fetched: ["a"] });
});

test("another installed version is a conflict that names who needs it; forced, the needed one is fetched", async () => {
	const shelf = { a: { dependencies: ["b=1.2.x"] }, b: { version: "1.2.0" } };
	const options = { installed: [installed("b", "2.0.0")] };
	const { conflicts, order } = await collect(["a"], shelf, options);
	assert.deepEqual(order, ["a"]);
	assert.match(conflicts.join(), /"b=1\.2\.x" is required by "a", but version 2\.0\.0 is installed/);
	assert.deepEqual((await collect(["a"], shelf, { ...options, force: true })).order, ["b", "a"]);
});

/** The same pack as `name`, installed from a directory. */
function local(ref: string, version: string): KnownPack {
	return { ref, version, metadata: {}, source: { kind: "directory", address: `/srv/${ref}` } };
}

test("a dependency does not replace another version that was installed from elsewhere; forced, it does", async () => {
	const shelf = { a: { dependencies: ["other=1.x"] }, other: { ref: "b", version: "1.0.0" } };
	const { conflicts, order } = await collect(["a"], shelf, { installed: [local("b", "2.0.0")] });
	assert.deepEqual(order, ["a"]);
	assert.match(
		conflicts.join(),
		/^"other=1\.x" is required by "a" and is version 1\.0\.0, but version 2\.0\.0 of "b" is installed from \/srv\/b;/,
	);
	const forced = await collect(["a"], shelf, { installed: [local("b", "2.0.0")], force: true });
	assert.deepEqual([forced.order, forced.conflicts.length], [["b", "a"], 1]);
	// A caller who names the pack means to replace it.
	assert.deepEqual((await collect(["other"], shelf, { installed: [local("b", "2.0.0")] })).conflicts, []);
});

test("a version that fits a dependency stays as it is when it was installed from elsewhere, with a warning", async () => {
	for (const dependency of ["other=1.x", "other", "other=main"]) {
		const shelf = { a: { dependencies: [dependency] }, other: { ref: "b", version: "1.0.0" } };
		const version = dependency === "other=main" ? "1.0.0" : "1.3.0";
		const { conflicts, order, warnings } = await collect(["a"], shelf, { installed: [local("b", version)] });
		assert.deepEqual([order, conflicts], [["a"], []], dependency);
		assert.match(warnings.join(), /version 1\.\d\.0 of "b" is installed from \/srv\/b and is kept/);
	}
});

test("a pack from elsewhere that replaces what an installed pack needs is a conflict when its version does not fit", async () => {
	const needed = "file:///srv/b";
	const there = [local("b", "1.0.0"), { ...installed("d", "1.0.0"), metadata: { dependencies: [`${needed}=1.x`] } }];
	const known = there.map((pack) => (pack.ref === "b" ? { ...pack, source: { address: needed } } : pack));
	const replaced = await collect(["b"], { b: { version: "2.0.0" } }, { installed: known });
	assert.match(replaced.conflicts.join(), /installed pack "d" requires "file:\/\/\/srv\/b=1\.x", but version 2\.0\.0 of "b"/);
	assert.deepEqual((await collect(["b"], { b: { version: "1.4.0" } }, { installed: known })).conflicts, []);
});

test("a new version that an installed pack does not take is a conflict that names it", async () => {
	const options = { installed: [installed("d", "1.0.0", ["b=1.x"]), installed("b", "1.0.0")] };
	const { conflicts } = await collect(["b"], { b: { version: "2.0.0" } }, options);
	assert.match(conflicts.join(), /installed pack "d" requires "b=1\.x", but version 2\.0\.0 of "b"/);
});

test("two that need two versions of a third are a conflict", async () => {
	const shelf = { a: { dependencies: ["c=1.x"] }, b: { dependencies: ["c=2.x"] }, c: { version: "1.0.0" } };
	const { conflicts } = await collect(["a", "b"], shelf);
	assert.match(conflicts.join(), /"c=2\.x" is required by "b", but version 1\.0\.0 of "c" .* would be installed/);
	assert.match(
		(await collect(["x", "y"], { x: { ref: "z", version: "1.0.0" }, y: { ref: "z" } })).conflicts.join(),
		/"z" is requested twice/,
	);
});

test("packs that need one another are named as a circle", async () => {
	const shelf = { a: { dependencies: ["b"] }, b: { dependencies: ["c"] }, c: { dependencies: ["a"] } };
	assert.deepEqual((await collect(["a"], shelf)).conflicts, ["packs depend on each other: a -> b -> c -> a"]);
	assert.deepEqual((await collect(["a"], { a: { dependencies: ["a"] } })).conflicts, ["packs depend on each other: a -> a"]);
});

test("dependencies are followed three levels deep, and what is deeper is named unless it is installed", async () => {
	const shelf = { a: { dependencies: ["b"] }, b: { dependencies: ["c"] }, c: { dependencies: ["d"] }, d: { dependencies: ["e"] } };
	const { order, conflicts } = await collect(["a"], shelf);
	assert.deepEqual(order, ["d", "c", "b", "a"]);
	assert.match(conflicts.join(), /"e" is required by "a", which is required by "b".* 3 levels deep/);
	assert.deepEqual((await collect(["a"], shelf, { installed: [installed("e", "1.0.0")] })).conflicts, []);
});

test("dependencies are left out where that is asked for", async () => {
	const shelf = { a: { dependencies: ["b", 7] } };
	const { order, conflicts, fetched } = await collect(["a"], shelf, { skipDependencies: true });
	assert.deepEqual({ order, conflicts, fetched }, { order: ["a"], conflicts: [], fetched: ["a"] });
});

test("a dependency that is none is named with its pack", async () => {
	const { conflicts } = await collect(["a"], { a: { dependencies: [7, "--upload-pack=evil"] } });
	assert.match(conflicts[0] ?? "", /pack "a" has an invalid dependency \(7\): must be a string/);
	assert.match(conflicts[1] ?? "", /--upload-pack=evil.*begins with a dash/);
});

test("a pack that names hundreds of dependencies does not make the service fetch them all", async () => {
	const dependencies = Array.from({ length: 500 }, (_, index) => `b${index}`);
	await assert.rejects(collect(["a"], { a: { dependencies } }), /at most 100 dependencies are allowed/);
	// Nor does it help to call them all the same.
	const shelf = Object.fromEntries(dependencies.map((name) => [name, { ref: "b" }]));
	await assert.rejects(collect(["a"], { ...shelf, a: { dependencies } }), /at most 100 dependencies are allowed/);
});

test("as many are installed at once as are asked for", async () => {
	const names = Array.from({ length: 150 }, (_, index) => `p${index}`);
	assert.equal((await collect(names, {})).order.length, 150);
});

test("only a local pack may name local files", async () => {
	const files = ["/srv/secret", "file:///srv/secret/.git"];
	const { conflicts, fetched } = await collect(["a"], { a: { dependencies: files } }, { force: true });
	assert.deepEqual([conflicts.length, fetched], [2, ["a"]]);
	assert.match(conflicts.join(), /only a local pack may name local files/);
});

test.run();
