// test-suite: full
import * as assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { removeTree } from "../../features/packs/content/content-directory.ts";
import { toProgram } from "../program.test-support.ts";
import { requires } from "../test-requirements.ts";
import { type ContentPlaces, type ContentWork, openContents } from "./content-process.test-support.ts";

const { test: mountTest } = requires(test, { command: "mount", root: true });

const options = { pack: "disk", signal: new AbortController().signal };

/** A pack of several pieces, and places for what becomes of it. */
async function withPlaces(use: (places: ContentPlaces) => Promise<void>): Promise<void> {
	const directory = mkdtempSync(join(tmpdir(), "svc-content-"));
	const places = { data: join(directory, "data"), pack: join(directory, "pack"), root: join(directory, "laid-out") };
	for (const path of Object.values(places)) mkdirSync(path);
	writeFileSync(join(places.pack, "pack.yaml"), "name: disk\n");
	for (const name of ["a", "b"])
		writeFileSync(join(places.pack, name), Buffer.from(Array.from({ length: 600_000 }, (_, index) => (index * name.charCodeAt(0)) % 253)));
	try {
		await use(places);
	} finally {
		await removeTree(places.root);
		rmSync(directory, { recursive: true });
	}
}

/** What a process does that is not killed. */
async function undisturbed(places: ContentPlaces, use: (opened: Awaited<ReturnType<typeof openContents>>) => Promise<void>): Promise<void> {
	const opened = await openContents(places);
	try {
		await use(opened);
	} finally {
		await opened.stop();
	}
}

/** Whether a process came to the end of its work. */
function work(given: ContentWork): boolean {
	const { status, signal, stderr } = spawnSync(process.execPath, [
		...toProgram("./content-process.test-support", import.meta.url),
		JSON.stringify(given),
	]);
	assert.ok(status === 0 || signal === "SIGKILL", String(stderr));
	return status === 0;
}

test("content is stored in the end when each process that stores it is killed a piece further on, and nobody sees part of it", () =>
	withPlaces(async (places) => {
		let kills = 0;
		// Three writes begin, and each process gets one piece further, or dies before it.
		while (!work({ ...places, at: kills % 2 === 0 ? 4 : 5, isMade: kills % 2 === 0 })) {
			kills += 1;
			assert.ok(kills < 20);
			await undisturbed(places, async ({ storage, contents }) => {
				const [begun] = await storage.find("pack_content", {});
				if (begun !== undefined && !begun.complete) await assert.rejects(contents.directory("disk", begun.id), /no longer stored/);
			});
		}
		assert.ok(kills >= 2, String(kills));
		await undisturbed(places, async ({ storage, contents }) => {
			const content = await contents.store(places.pack, options);
			assert.deepEqual([await storage.count("pack_content", {}), await storage.count("pack_content_chunk", {})], [1, 4]);
			assert.deepEqual(await contents.readFile(content, "b"), readFileSync(join(places.pack, "b")));
		});
	}));

test("a process that is killed while it lays content out leaves nothing that the next one takes for it", () =>
	withPlaces(async (places) => {
		let content = "";
		await undisturbed(places, async ({ contents }) => {
			content = await contents.store(places.pack, options);
		});
		for (const at of [1, 4]) {
			assert.equal(work({ ...places, content, at, isMade: at % 2 === 0 }), false, String(at));
			assert.ok(!existsSync(join(places.root, "disk", content)));
		}
		await undisturbed(places, async ({ contents }) => {
			const directory = await contents.directory("disk", content);
			for (const name of ["pack.yaml", "a", "b"])
				assert.deepEqual(readFileSync(join(directory, name)), readFileSync(join(places.pack, name)));
			const names = () => readdirSync(join(places.root, "disk"));
			assert.ok(names().length > 1, "those that were killed left something");
			for (const name of names()) utimesSync(join(places.root, "disk", name), 1_000_000_000, 1_000_000_000);
			await contents.sweep();
			assert.deepEqual(names(), [content]);
		});
	}));

mountTest("a node whose disk is full says so, keeps nothing half-made, and goes on when there is room", () =>
	withPlaces(async (places) => {
		execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "svc-test", places.root]);
		try {
			await undisturbed(places, async ({ contents }) => {
				const content = await contents.store(places.pack, options);
				const told = /the files of pack "disk" cannot be written to this node: ENOSPC/;
				for (let tries = 0; tries < 2; tries += 1) await assert.rejects(contents.directory("disk", content), told);
				assert.deepEqual(readdirSync(join(places.root, "disk")), []);
				execFileSync("mount", ["-o", "remount,size=20m", places.root]);
				const directory = await contents.directory("disk", content);
				assert.equal(readFileSync(join(directory, "pack.yaml"), "utf8"), "name: disk\n");
			});
		} finally {
			execFileSync("umount", ["-l", places.root]);
		}
	}),
);

test.run();
