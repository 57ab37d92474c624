import * as assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "uvu";
import { isSvcError, type JsonObject } from "../../../contract/index.ts";
import { resolveEntryPoint } from "../entry-point-exports.ts";
import { notInstalled } from "../registration/not-installed.ts";
import { findPackDirectories } from "./find-pack-directories.ts";
import { readPackDirectory } from "./read-pack-directory.ts";

const manifest = "name: Disk tools\nversion: 1.2.3\ndescription: d\nauthor: Ann\nemail: ann@example.org\n";
const action = "name: sweep\nrunner_type: local-shell-script\nentry_point: sweep.sh\n";

/** A directory with these files, removed afterwards. */
async function withFiles(files: Readonly<Record<string, string>>, check: (directory: string) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-packs-"));
	try {
		for (const [name, text] of Object.entries(files)) {
			const path = join(directory, name);
			await mkdir(dirname(path), { recursive: true });
			await writeFile(path, text);
		}
		await check(directory);
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

test("a pack directory is read with its actions in the order of their files", async () => {
	const files = {
		"disk/pack.yaml": `${manifest}extra: {kept: true}\nsvc_version: ">=3.0.0, <4.0.0"\n`,
		"disk/actions/b.yaml":
			"name: b\nrunner_type: noop\nenabled: false\ntags: [{name: team, value: storage}]\nnotify: {on-failure: {message: m, routes: [ops]}}\n",
		"disk/actions/a.yml": `${action}description: Frees space.\nparameters:\n  volume: {type: string, required: true, position: 0}\n`,
		"disk/actions/sweep.sh": "#!/bin/sh\n",
		"disk/actions/config.yaml": "not: [an action\n",
		"disk/actions/.hidden.yaml": "x",
		"disk/actions/workflows/flow.yaml": "version: 1.0\n",
		"disk/actions/README.md": "x",
	};
	await withFiles(files, async (directory) => {
		const path = join(directory, "disk");
		const { pack, actions, problems } = await readPackDirectory(path);
		assert.deepEqual(problems, []);
		assert.deepEqual(
			{ ...pack, metadata: pack?.metadata["extra"] },
			{
				ref: "disk",
				name: "Disk tools",
				description: "d",
				version: "1.2.3",
				author: "Ann",
				path,
				metadata: { kept: true },
				...notInstalled,
				files: [
					"pack.yaml",
					...[".hidden.yaml", "README.md", "a.yml", "b.yaml", "config.yaml", "sweep.sh", "workflows/flow.yaml"].map(
						(name) => `actions/${name}`,
					),
				],
			},
		);
		assert.deepEqual(
			actions.map(({ ref }) => ref),
			["disk.sweep", "disk.b"],
		);
		assert.deepEqual(actions[0], {
			ref: "disk.sweep",
			pack: "disk",
			name: "sweep",
			description: "Frees space.",
			runner_type: "local-shell-script",
			entry_point: "sweep.sh",
			enabled: true,
			metadata_file: "actions/a.yml",
			parameters: { volume: { type: "string", required: true, position: 0 } },
			output_schema: {},
			tags: [],
			notify: {},
			content: null,
		});
		assert.equal(actions[1]?.enabled, false);
		assert.deepEqual(actions[1]?.notify, { "on-failure": { message: "m", routes: ["ops"] } });
	});
});

test("an action's name in a file is ASCII, as over the API", async () => {
	for (const name of ["sw\u202eeep", "sw\u0435ep", "größe", "a b", "a\u001b[2J", ""]) {
		const files = { "p/pack.yaml": manifest, "p/actions/a.yaml": `name: ${JSON.stringify(name)}\nrunner_type: noop\n` };
		await withFiles(files, async (directory) => {
			const { actions, problems } = await readPackDirectory(join(directory, "p"));
			assert.deepEqual(actions, [], name);
			assert.equal(problems.length, 1);
			assert.match(JSON.stringify(problems[0]), /attribute .*name.* must be a name of letters \(a to z/);
		});
	}
});

test("a pack without actions is a pack", async () => {
	await withFiles({ "p/pack.yaml": manifest }, async (directory) => {
		const { pack, actions, problems } = await readPackDirectory(join(directory, "p"));
		assert.equal(pack?.ref, "p");
		assert.deepEqual([actions, problems], [[], []]);
	});
});

const manifests: readonly (readonly [directory: string, text: string, expected: RegExp | { ref: string; version?: string }])[] = [
	["Bad-Name", `${manifest}ref: given\n`, { ref: "given" }],
	["Bad-Name", manifest.replace("Disk tools", "fine_name"), { ref: "fine_name" }],
	["Bad-Name", manifest, /attribute "ref" is missing, and neither/],
	["p", manifest.replace("1.2.3", "1.2"), { ref: "p", version: "1.2.0" }],
	["p", manifest.replace("1.2.3", "1.2.3-beta.1"), { ref: "p", version: "1.2.3-beta.1" }],
	["p", manifest.replace("1.2.3", "latest"), /attribute "version" must be a version of three parts/],
	["p", `${manifest}ref: a.b\n`, /attribute "ref" must be a name of lower-case/],
	["p", `${manifest}ref: _global\n`, /attribute "ref" must not be "_global"/],
	["p", manifest.replace("ann@example.org", "nobody"), /attribute "email" must be an email address/],
	["p", manifest.replace("author: Ann\n", ""), /attribute "author" is missing/],
	["p", `${manifest}svc_version: ">=4.0.0"\n`, /attribute "svc_version" requires >=4.0.0/],
	["p", `${manifest}svc_version: about three\n`, { ref: "p" }],
	["p", "- list\n", /must be an object/],
	["p", "", /must be an object/],
	["p", `${manifest}name: again\n`, /^line 6: /],
	["p", "a: b\n\tc: d\n", /^line 2: /],
];

test("a manifest gives ref and version, or a problem that names the attribute", async () => {
	for (const [name, text, expected] of manifests) {
		await withFiles({ [`${name}/pack.yaml`]: text, [`${name}/actions/a.yaml`]: "name: a\nrunner_type: noop\n" }, async (directory) => {
			const { pack, actions, problems } = await readPackDirectory(join(directory, name));
			if (!(expected instanceof RegExp)) {
				assert.deepEqual(problems, []);
				assert.deepEqual({ ...expected, ref: pack?.ref, ...(expected.version !== undefined && { version: pack?.version }) }, expected);
				return;
			}
			assert.deepEqual([pack, actions], [undefined, []]);
			assert.equal(problems[0]?.file, join(directory, name, "pack.yaml"));
			assert.match(problems[0]?.message ?? "", expected);
		});
	}
});

const badActions: readonly (readonly [text: string, message: RegExp])[] = [
	["name: [unclosed\n", /^line 2: /],
	["name: a\n", /attribute "runner_type" is missing/],
	["name: a b\nrunner_type: noop\n", /attribute "name" must be a name of letters/],
	["name: a\nrunner_type: noop\nenabeld: true\n", /unknown attribute "enabeld"; did you mean "enabled"\?/],
	["name: a\nrunner_type: noop\nenabled: yes\n", /attribute "enabled" must be true or false/],
	["name: a\nrunner_type: noop\npack: other\n", /attribute "pack" must be "p"/],
	["name: a\nrunner_type: noop\nparameters: [a]\n", /attribute "parameters" must be an object/],
	["name: a\nrunner_type: noop\nparameters: {x: {typ: string}}\n", /parameter "x" has the unknown attribute "typ"; did you mean "type"\?/],
	["name: a\nrunner_type: noop\nparameters: {x: {default: {{ y }}}}\n", /in quotes/],
	["name: a\nrunner_type: noop\nnotify: {on-fire: {}}\n", /attribute "notify" must have objects under on-complete/],
	["name: a\nrunner_type: noop\ntags: [x]\n", /attribute "tags" must be a list of objects/],
	["name: good\nrunner_type: noop\n", /attribute "name" must be unique in the pack; actions\/a\.yaml also has "good"/],
	["name: a\nrunner_type: noop\nentry_point: missing.sh\n", /attribute "entry_point" names "missing.sh", which cannot be read/],
	["name: a\nrunner_type: noop\nentry_point: ../pack.yaml\n", /attribute "entry_point" must be the path of a file below/],
	["name: a\nrunner_type: noop\nentry_point: /etc/passwd\n", /attribute "entry_point" must be the path of a file below/],
	["name: a\nrunner_type: noop\nentry_point: lib\n", /attribute "entry_point" must name a file/],
	["name: a\nrunner_type: noop\nentry_point: escape\n", /must not lead out of the actions directory through a link/],
	["name: a\nrunner_type: noop\nentry_point: outside/pack.yaml\n", /must not lead out of the actions directory through a link/],
	[`# ${"x".repeat(500_000)}\nname: a\nrunner_type: noop\n`, /must be at most 500000 bytes/],
	[`name: a\nrunner_type: noop\ntags: [${"1,".repeat(200_000)}1]\n`, /the document has more than 100000 words, signs and lines/],
	[
		"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n",
		/cannot be read: Excessive alias count/,
	],
];

test("a bad action is one problem that names file and attribute, and the others are read", async () => {
	for (const [text, message] of badActions) {
		const files = {
			"p/pack.yaml": manifest,
			"p/actions/a.yaml": "name: good\nrunner_type: noop\n",
			"p/actions/bad.yaml": text,
			"p/actions/z.yaml": "name: last\nrunner_type: noop\n",
			"p/actions/lib/x": "",
		};
		await withFiles(files, async (directory) => {
			await symlink("/etc/passwd", join(directory, "p/actions/escape"));
			await symlink("..", join(directory, "p/actions/outside"));
			const { actions, problems } = await readPackDirectory(join(directory, "p"));
			assert.deepEqual(
				actions.map(({ name }) => name),
				["good", "last"],
				text.slice(0, 200),
			);
			assert.deepEqual(
				problems.map(({ file }) => file),
				[join(directory, "p/actions/bad.yaml")],
			);
			assert.match(problems[0]?.message ?? "", message);
		});
	}
});

test("links inside the actions directory are fine", async () => {
	await withFiles({ "p/actions/lib/real.sh": "" }, async (directory) => {
		await symlink("lib/real.sh", join(directory, "p/actions/link.sh"));
		assert.equal(await resolveEntryPoint(join(directory, "p"), "link.sh"), join(directory, "p/actions/link.sh"));
		await assert.rejects(resolveEntryPoint(join(directory, "p"), "a\0b"), (error) => isSvcError(error, "SVC_INVALID"));
	});
});

test("values from YAML are JSON: dates stay text, merge keys apply, __proto__ is a member", async () => {
	const text = "base: &base {type: string}\n".replace(
		"base:",
		"output_schema: {}\nnotify: {}\nname: a\nrunner_type: noop\nparameters:\n  first:",
	);
	const files = {
		"p/pack.yaml": `${manifest}date: 2024-01-01\n__proto__: {polluted: 1}\n`,
		"p/actions/a.yaml": `${text}  second: {<<: *base, default: "on"}\n`,
	};
	await withFiles(files, async (directory) => {
		const { pack, actions, problems } = await readPackDirectory(join(directory, "p"));
		assert.deepEqual(problems, []);
		assert.equal(pack?.metadata["date"], "2024-01-01");
		assert.equal(({} as JsonObject)["polluted"], undefined);
		assert.equal(Object.getPrototypeOf(pack?.metadata), Object.prototype);
		assert.deepEqual(actions[0]?.parameters["second"], { type: "string", default: "on" });
	});
});

test("packs are found at a path, or directly below it", async () => {
	await withFiles({ "b/pack.yaml": "", "a/pack.yaml": "", "a/deeper/pack.yaml": "", "none/x": "", file: "" }, async (directory) => {
		assert.deepEqual(await findPackDirectories(directory), [join(directory, "a"), join(directory, "b")]);
		assert.deepEqual(await findPackDirectories(join(directory, "a")), [join(directory, "a")]);
		assert.deepEqual(await findPackDirectories(join(directory, "none")), []);
		await assert.rejects(findPackDirectories(join(directory, "missing")), (error) => isSvcError(error, "SVC_CONFIG"));
	});
});

test.run();
