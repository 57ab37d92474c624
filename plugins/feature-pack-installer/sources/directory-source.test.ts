import * as assert from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import { isSvcError } from "../../../core/contract/index.ts";
import { filesOf, manifest, type SourceBench, withBench } from "./pack-fetcher.test-support.ts";

function writePack(bench: SourceBench): string {
	bench.write("disk/pack.yaml", manifest);
	bench.write("disk/actions/sweep.sh", "#!/bin/sh\n", 0o755);
	return join(bench.root, "disk");
}

async function assertRefused(bench: SourceBench, text: string, reason: RegExp): Promise<void> {
	await assert.rejects(bench.fetch(text), (error: Error) => isSvcError(error) && reason.test(error.message));
	assert.deepEqual(bench.left(), []);
}

test("a directory is copied as it stands, without history and without what Python keeps", async () => {
	await withBench(async (bench) => {
		const path = writePack(bench);
		bench.write("disk/.git/config", "[core]\n");
		bench.write("disk/actions/__pycache__/sweep.pyc", "x");
		const { directory, source } = await bench.fetch(path);
		assert.deepEqual(filesOf(directory), { "pack.yaml": manifest, "actions/sweep.sh*": "#!/bin/sh\n" });
		assert.match(source.commit, /^sha256:[0-9a-f]{64}$/);
		assert.deepEqual(
			{ ...source, commit: "" },
			{ kind: "directory", address: path, revision: null, commit: "", subdirectory: null, index: null },
		);
	});
});

test("installed npm packages and virtualenvs are left out of a directory, whatever their links lead to", async () => {
	await withBench(async (bench) => {
		const path = writePack(bench);
		bench.write("disk/node_modules/dependency/index.js", "x");
		symlinkSync("/etc/hostname", join(path, "node_modules", "linked"));
		bench.write("disk/my-environment/pyvenv.cfg", "home = /usr/bin\n");
		mkdirSync(join(path, "my-environment", "bin"));
		symlinkSync("/usr/bin/python3", join(path, "my-environment", "bin", "python3"));
		bench.write("disk/.venv/bin/x", "x");
		const { directory } = await bench.fetch(path);
		assert.deepEqual(filesOf(directory), { "pack.yaml": manifest, "actions/sweep.sh*": "#!/bin/sh\n" });
	});
});

test("files that a .gitignore ignores are left out of a directory and named, and the other files stay", async () => {
	await withBench(async (bench) => {
		const path = writePack(bench);
		bench.write("disk/.gitignore", "\ufeff# build\r\n\r\n/dist/\r\n*.log\n!keep.log\nlinked\nsecret.json \n");
		bench.write("disk/dist/large", "x".repeat(2_000_000));
		bench.write("disk/lib/dist/kept", "x");
		for (const name of ["a.log", "lib/b.log", "keep.log", "secret.json", "A.LOG"]) bench.write(`disk/${name}`, name);
		symlinkSync("/etc/hostname", join(path, "linked"));
		const { directory } = await bench.fetch(path);
		assert.deepEqual(Object.keys(filesOf(directory)).sort(), [
			".gitignore",
			"A.LOG",
			"actions/sweep.sh*",
			"keep.log",
			"lib/dist/kept",
			"pack.yaml",
		]);
		const [line] = bench.lines.filter((text) => text.includes(".gitignore"));
		assert.equal(line, 'excluded by .gitignore: "a.log", "dist", "linked", "secret.json", "lib/b.log"');
	});
});

test("a .gitignore in a folder counts for that folder and wins over the outer one, as git says", async () => {
	await withBench(async (bench) => {
		const path = writePack(bench);
		const folder = "etc [a]! #b";
		bench.write("disk/.gitignore", "build\n*.tmp\n");
		bench.write(`disk/${folder}/.gitignore`, "!build\n/top\nnested/x\nany\n\\#hash\n\\!bang\n!important.tmp\n");
		const names = ["build/x", "build/y.tmp", "top", "nested/x", "nested/y", "nested/any", "nested/top", "#hash", "!bang", "important.tmp"];
		for (const name of names) bench.write(`disk/${folder}/${name}`, name);
		for (const name of ["build/x", "top", "nested/x", "any", "x.tmp"]) bench.write(`disk/${name}`, name);
		bench.git("disk", "init", "--quiet");
		const listed = bench.git("disk", "-c", "core.quotePath=false", "ls-files", "--others", "--exclude-standard").split("\n");
		const { directory } = await bench.fetch(path);
		const found = Object.keys(filesOf(directory)).map((name) => name.replace(/\*$/, ""));
		assert.deepEqual(found.sort(), listed.sort());
		assert.ok(found.includes(`${folder}/build/x`));
	});
});

test("a .gitignore that is a link or too large is not read", async () => {
	await withBench(async (bench) => {
		const path = writePack(bench);
		bench.write("disk/rules", "*.sh\n");
		symlinkSync("rules", join(path, ".gitignore"));
		const { directory } = await bench.fetch(path);
		assert.ok("actions/sweep.sh*" in filesOf(directory));
		bench.write("disk/actions/.gitignore", "x\n".repeat(60_000));
		await assert.rejects(bench.fetch(path), /"actions\/\.gitignore" has more than 100000 bytes/);
	});
});

test("what a directory holds now is told from what it held then", async () => {
	await withBench(async (bench) => {
		const fetched = await bench.fetch(writePack(bench));
		assert.equal((await bench.latest(fetched)).commit, fetched.source.commit);
		chmodSync(bench.write("disk/actions/sweep.sh", "#!/bin/sh\n"), 0o644);
		assert.notEqual((await bench.latest(fetched)).commit, fetched.source.commit);
	});
});

test("of a folder with several packs only the one that is wanted counts", async () => {
	await withBench(async (bench) => {
		bench.write("many/disk/pack.yaml", manifest);
		bench.write("many/net/pack.yaml", manifest);
		symlinkSync("..", join(bench.root, "many/out"));
		const fetched = await bench.fetch(`${join(bench.root, "many")}#disk`);
		bench.write("many/net/new", "x");
		assert.equal((await bench.latest(fetched)).commit, fetched.source.commit);
		bench.write("many/disk/new", "x");
		assert.notEqual((await bench.latest(fetched)).commit, fetched.source.commit);
		await assert.rejects(bench.fetch(`${join(bench.root, "many")}#out`), /"out" is a link to a path outside/);
		await assert.rejects(bench.fetch(`${join(bench.root, "many")}#nothing`), /has no directory "nothing"/);
	});
});

test("the folder of a pack may have a name that begins with two dots", async () => {
	await withBench(async (bench) => {
		bench.write("many/..disk/pack.yaml", manifest);
		const { directory, source } = await bench.fetch(`${join(bench.root, "many")}#..disk`);
		assert.deepEqual(filesOf(directory), { "pack.yaml": manifest });
		assert.equal(source.subdirectory, "..disk");
	});
});

test("links inside become copies, and are named", async () => {
	await withBench(async (bench) => {
		const path = writePack(bench);
		bench.write("disk/lib/common.py", "x = 1\n");
		symlinkSync("../lib", join(path, "actions/lib"));
		symlinkSync("lib/common.py", join(path, "actions/common.py"));
		symlinkSync("actions/common.py", join(path, "first.py"));
		const { directory } = await bench.fetch(path);
		assert.deepEqual(Object.keys(filesOf(directory)).sort(), [
			"actions/common.py",
			"actions/lib/common.py",
			"actions/sweep.sh*",
			"first.py",
			"lib/common.py",
			"pack.yaml",
		]);
		assert.ok(bench.lines.some((line) => line.includes('"actions/lib"') && line.includes("copies")));
	});
});

const links: readonly (readonly [string, string, RegExp])[] = [
	["leads out of the pack", "../../secret", /"actions\/link" is a link to "\.\.\/\.\.\/secret", which is outside/],
	["is absolute", "/etc/passwd", /"actions\/link" is a link to "\/etc\/passwd", which is outside/],
	["leads nowhere", "nothing", /"actions\/link" is a link to "actions\/nothing", which does not exist/],
	["leads to itself", "link", /"actions\/link" is a link to itself/],
	["leads to a folder around it", "..", /"actions\/link" is a link to itself/],
];

for (const [what, target, reason] of links) {
	test(`a link that ${what} is refused by name`, async () => {
		await withBench(async (bench) => {
			const path = writePack(bench);
			bench.write("secret", "secret");
			symlinkSync(target, join(path, "actions/link"));
			await assertRefused(bench, path, reason);
		});
	});
}

test("links to folders that hold links to folders do not multiply beyond what is allowed", async () => {
	await withBench(
		async (bench) => {
			const path = writePack(bench);
			bench.write("disk/d0/a", "x");
			for (let level = 1; level < 20; level += 1) {
				mkdirSync(join(path, `d${level}`));
				for (const name of ["a", "b"]) symlinkSync(`../d${level - 1}`, join(path, `d${level}`, name));
			}
			await assertRefused(bench, path, /more than 500 files and directories/);
		},
		{ limits: { files: 500 } },
	);
});

test("pipes, programs that run as somebody else, and names that are taken for others are refused by name", async () => {
	const cases: readonly (readonly [(bench: SourceBench, path: string) => void, RegExp])[] = [
		[(bench, path) => bench.run("mkfifo", [join(path, "pipe")]), /"pipe" is not a regular file/],
		[(bench) => bench.write("disk/su", "x", 0o4755), /"su" must not have the set-user-ID or set-group-ID bit/],
		[(bench) => [bench.write("disk/Readme"), bench.write("disk/README")], /is too similar to/],
		[(bench) => [bench.write("disk/caf\u00e9"), bench.write("disk/cafe\u0301")], /is too similar to/],
		[(bench) => bench.write("disk/a\u202egnp.sh"), /"a\\u202egnp\.sh" contains invisible or misleading characters/],
		[(bench) => bench.write("disk/line\nbreak"), /"line\\u000abreak" contains invisible or misleading characters/],
		[(bench) => bench.write("disk/back\\slash"), /contains a backslash/],
	];
	for (const [make, reason] of cases) {
		await withBench(async (bench) => {
			make(bench, writePack(bench));
			await assertRefused(bench, join(bench.root, "disk"), reason);
		});
	}
});

test("too large, too many and too deep are refused by name of file or option", async () => {
	const limits = { fileSize: 1_000, size: 2_000, files: 20 };
	const cases: readonly (readonly [(bench: SourceBench) => void, RegExp])[] = [
		[(bench) => bench.write("disk/big", "x".repeat(1_001)), /"big" has more than 1000 bytes \(content\.max_file_size\)/],
		[(bench) => ["a", "b", "c"].map((name) => bench.write(`disk/${name}`, "x".repeat(900))), /content\.max_pack_size/],
		[(bench) => Array.from({ length: 30 }, (_, index) => bench.write(`disk/${index}`)), /content\.max_files/],
		[(bench) => bench.write(`disk/${"a/".repeat(41)}b`), /deeper than 40/],
	];
	for (const [make, reason] of cases) {
		await withBench(
			async (bench) => {
				writePack(bench);
				make(bench);
				await assertRefused(bench, join(bench.root, "disk"), reason);
			},
			{ limits: reason.source.includes("deeper") ? {} : limits },
		);
	}
});

test("a directory that is not there, is no pack, or holds several, is refused with what to do", async () => {
	await withBench(async (bench) => {
		await assertRefused(bench, join(bench.root, "nothing"), /does not exist or cannot be read/);
		bench.write("many/readme", "x");
		await assertRefused(bench, join(bench.root, "many"), /a pack has a file pack\.yaml/);
		bench.write("many/b/pack.yaml", manifest);
		bench.write("many/c/a/pack.yaml", manifest);
		await assertRefused(bench, join(bench.root, "many"), /these directories are packs: "b", "c\/a"; name one after "#"/);
		const { directory, source } = await bench.fetch(`${join(bench.root, "many")}#c/a`);
		assert.deepEqual(filesOf(directory), { "pack.yaml": manifest });
		assert.equal(source.subdirectory, "c/a");
	});
});

test("only what lies in the configured directories is taken, links followed", async () => {
	await withBench(async (outer) => {
		outer.write("allowed/disk/pack.yaml", manifest);
		outer.write("other/pack.yaml", manifest);
		symlinkSync(join(outer.root, "other"), join(outer.root, "allowed/link"));
		await withBench(
			async (bench) => {
				await bench.fetch(join(outer.root, "allowed/disk"));
				for (const path of ["other", "allowed/link"]) {
					await assert.rejects(bench.fetch(join(outer.root, path)), /not in a directory of content\.source_directories/);
				}
			},
			{ directories: [join(outer.root, "allowed")] },
		);
	});
});

test("a canceled fetch leaves nothing behind", async () => {
	await withBench(async (bench) => {
		const path = writePack(bench);
		await assert.rejects(bench.fetch(path, AbortSignal.abort(new Error("canceled"))), /canceled/);
		assert.deepEqual(bench.left(), []);
	});
});

test.run();
