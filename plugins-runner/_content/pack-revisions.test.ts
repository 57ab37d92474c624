import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as everyTest } from "uvu";
import type { RunResult } from "../../core/contract/index.ts";
import { toProgram } from "../../core/testing/program.test-support.ts";
import { createRunContext, type RunContextOptions, silentLogger, type TestRunContext } from "../../core/testing/run-context.ts";
import { createOptions } from "../../core/testing/service-options.ts";
import { contentParameters } from "./content-parameters.ts";
import { gitTest, PackRepository } from "./pack-repository.test-support.ts";
import { type ContentPlace, PackRevisions } from "./pack-revisions.ts";

const test = gitTest(everyTest);
const parameters = { ...contentParameters, debug: { type: "boolean", default: false } } as const;
const done: RunResult = { succeeded: true, result: {} };

function createContext(options: RunContextOptions<typeof parameters>): TestRunContext<typeof parameters> {
	return createRunContext({ parameters }, options);
}

async function start(pack: PackRepository, isGoingOn?: (id: string) => boolean): Promise<PackRevisions> {
	const versions = new PackRevisions("tests");
	const { dataDirectory } = pack;
	const clock = { now: () => Date.now() * 1000 };
	await versions.start({ logger: silentLogger, clock, dataDirectory, nodeId: "tests", options: createOptions() }, isGoingOn);
	return versions;
}

/** A pack whose file says `new` where it is, and `old` at the tag `v1`. */
async function withPack(use: (pack: PackRepository, versions: PackRevisions) => Promise<void>): Promise<void> {
	const pack = new PackRepository();
	try {
		pack.write("actions/say.sh", "old\n");
		pack.commit("v1");
		pack.write("actions/say.sh", "new\n");
		pack.commit("v2");
		await use(pack, await start(pack));
	} finally {
		pack.remove();
	}
}

/** Where the run's files were, with what its entry point held. */
async function look(versions: PackRevisions, pack: Pick<PackRepository, "directory">, revision: string, debug = false) {
	let seen: { readonly place: ContentPlace; readonly text: string; readonly mode: number } | undefined;
	const context = createContext({
		entryPoint: join(pack.directory, "actions/say.sh"),
		packDirectory: pack.directory,
		runnerParameters: { content_version: revision, debug },
	});
	await versions.use(context, async (place) => {
		seen = { place, text: readFileSync(place.entryPoint, "utf8"), mode: statSync(place.packDirectory ?? "").mode & 0o777 };
		return done;
	});
	assert.ok(seen !== undefined);
	return seen;
}

test("a run finds its files at the revision, and they are gone afterwards", () =>
	withPack(async (pack, versions) => {
		for (const revision of ["v1", "main~1", pack.git("rev-parse", "v1").trim()]) {
			const { place, text } = await look(versions, pack, revision);
			assert.equal(text, "old\n");
			assert.match(String(place.packDirectory), /\/svc-git-worktree-[0-9a-f]{16}/);
			assert.deepEqual(pack.leftovers(), []);
		}
		assert.equal((await look(versions, pack, "main")).text, "new\n");
		assert.equal(readFileSync(join(pack.directory, "actions/say.sh"), "utf8"), "new\n");
	}));

test("without a revision the files are those of the pack", () =>
	withPack(async (pack, versions) => assert.equal((await look(versions, pack, "")).place.packDirectory, pack.directory)));

test("others may do with them what they may with the pack, but not write", () =>
	withPack(async (pack, versions) => {
		for (const [own, expected] of [
			[0o777, 0o755],
			[0o750, 0o750],
			[0o700, 0o700],
		] as const) {
			chmodSync(pack.directory, own);
			assert.equal((await look(versions, pack, "v1")).mode, expected);
		}
	}));

test("many runs have their files at the same time", () =>
	withPack(async (pack, versions) => {
		const lookTwice = async (revision: string) => [await look(versions, pack, revision), await look(versions, pack, revision)];
		const seen = await Promise.all(Array.from({ length: 8 }, (_, index) => lookTwice(index % 2 === 0 ? "v1" : "v2")));
		assert.deepEqual(
			seen.map((pair) => pair.map(({ text }) => text)),
			seen.map((_, index) => (index % 2 === 0 ? ["old\n", "old\n"] : ["new\n", "new\n"])),
		);
		assert.deepEqual(pack.leftovers(), []);
	}));

test("a pack may be a part of its repository", () =>
	withPack(async (pack, versions) => {
		pack.write("packs/inner/actions/say.sh", "inner\n");
		pack.commit("v3");
		pack.write("packs/inner/actions/say.sh", "later\n");
		const seen = await look(versions, { directory: join(pack.directory, "packs/inner") }, "v3");
		assert.equal(seen.text, "inner\n");
		assert.match(String(seen.place.packDirectory), /packs\/inner\/?$/);
	}));

test("debug keeps the files", () =>
	withPack(async (pack, versions) => {
		const { place } = await look(versions, pack, "v1", true);
		await start(pack);
		assert.ok(existsSync(place.entryPoint));
	}));

test("hooks of the repository are not run", () =>
	withPack(async (pack, versions) => {
		const marker = join(pack.directory, "hook-was-here");
		pack.write(".git/hooks/post-checkout", `#!/bin/sh\ntouch '${marker}'\n`);
		await look(versions, pack, "v1");
		assert.ok(!existsSync(marker));
	}));

test("what is no revision is refused by name, and an option is none", () =>
	withPack(async (pack, versions) => {
		for (const revision of ["no-such", "--help", "v1:actions", "v1 v2"]) {
			await assert.rejects(look(versions, pack, revision), {
				message: `Failed to create git worktree for pack "tests": the repository has no revision "${revision}" (content_version)`,
			});
		}
		await assert.rejects(look(versions, pack, "a\0b"), /"content_version" must not contain a NUL/);
		assert.deepEqual(pack.leftovers(), []);
	}));

test("an entry point that the revision does not have, or that is outside the pack, is refused", () =>
	withPack(async (pack, versions) => {
		pack.link("actions/out.sh", "/etc/passwd");
		pack.commit("v3");
		const use = (entryPoint: string, content_version: string) =>
			versions.use(
				createContext({
					entryPoint: join(pack.directory, entryPoint),
					packDirectory: pack.directory,
					runnerParameters: { content_version },
				}),
				async () => assert.fail("it was run"),
			);
		await assert.rejects(use("actions/out.sh", "v1"), /"actions\/out\.sh" does not exist in revision "v1"/);
		await assert.rejects(use("actions/out.sh", "v3"), /"actions\/out\.sh" is outside its pack's directory/);
		await assert.rejects(use("../say.sh", "v1"), /is outside its pack's directory/);
		assert.deepEqual(pack.leftovers(), []);
	}));

test("without a repository, a directory or a git that can do it, the error says so", () =>
	withPack(async (pack, versions) => {
		const plain = realpathSync(mkdtempSync(join(tmpdir(), "plain-")));
		const begin = 'Failed to create git worktree for pack "tests": ';
		await assert.rejects(look(versions, { directory: plain }, "v1"), (error: Error) =>
			error.message.startsWith(`${begin}"${plain}" is not in`),
		);
		await assert.rejects(
			versions.use(createContext({ runnerParameters: { content_version: "v1" } }), async () => done),
			/has no directory/,
		);
		const path = process.env["PATH"];
		try {
			process.env["PATH"] = plain;
			await assert.rejects(look(versions, pack, "v1"), new RegExp(`^\\w*:? ?${begin}git cannot be started`));
			mkdirSync(join(plain, "old"));
			const old = `#!/bin/sh\nfor word; do [ "$word" = worktree ] && { echo "git: 'worktree' is not a git command." >&2; exit 1; }; done\nPATH='${path}' exec git "$@"\n`;
			writeFileSync(join(plain, "old/git"), old, { mode: 0o755 });
			process.env["PATH"] = join(plain, "old");
			await assert.rejects(look(versions, pack, "v1"), /git 2\.17 or newer is required/);
		} finally {
			process.env["PATH"] = path;
			rmSync(plain, { recursive: true });
		}
		assert.deepEqual(pack.leftovers(), []);
	}));

test("an abort ends the wait for git", () =>
	withPack(async (pack, versions) => {
		const context = createContext({ packDirectory: pack.directory, runnerParameters: { content_version: "v1" } });
		context.abort("cancel");
		await assert.rejects(
			versions.use(context, async () => assert.fail("it was run")),
			{ name: "RunAborted" },
		);
		assert.deepEqual(pack.leftovers(), []);
	}));

test("files of a run that goes on are kept until it is found again and has ended", () =>
	withPack(async (pack, versions) => {
		const entryPoint = join(pack.directory, "actions/say.sh");
		const context = createContext({ entryPoint, packDirectory: pack.directory, runnerParameters: { content_version: "v1" } });
		await versions.use(context, async () => ({ succeeded: false, result: {}, status: "running" }));
		assert.equal(pack.leftovers().length, 1);
		await (await start(pack)).during(context, async () => done);
		assert.deepEqual(pack.leftovers(), []);
	}));

test("what a killed service leaves behind is removed at the next start, unless the run goes on", () =>
	withPack(async (pack) => {
		const program = toProgram("./content-run.test-support", import.meta.url);
		const args = [...program, pack.dataDirectory, join(pack.directory, "actions/say.sh"), pack.directory];
		const service = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
		await once(service.stdout, "data");
		await start(pack);
		assert.equal(pack.leftovers().length, 1, "the service still runs");
		service.kill("SIGKILL");
		await once(service, "exit");
		await start(pack, () => true);
		assert.equal(pack.leftovers().length, 1, "the run continues");
		await start(pack);
		assert.deepEqual(pack.leftovers(), []);
	}));

everyTest.run();
