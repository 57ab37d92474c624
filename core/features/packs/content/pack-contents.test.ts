import * as assert from "node:assert/strict";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import type { Storage } from "../../../contract/index.ts";
import { never, withContents } from "./contents.test-support.ts";

const options = { pack: "disk", signal: never };

test("what was stored is laid out as it was, and nobody can write there by mistake", () =>
	withContents(async (place) => {
		const contents = place.contents();
		const content = await contents.store(place.pack, options);
		const directory = await contents.directory("disk", content);
		assert.equal(directory, join(place.local, "disk", content));
		for (const path of ["pack.yaml", "actions/sweep.sh", "actions/empty.py", "etc/large.bin"])
			assert.deepEqual(readFileSync(join(directory, path)), readFileSync(join(place.pack, path)));
		const mode = (path: string) => (statSync(join(directory, path)).mode & 0o777).toString(8);
		assert.deepEqual(["", "actions", "actions/sweep.sh", "pack.yaml"].map(mode), ["500", "500", "500", "400"]);
		assert.deepEqual(readdirSync(join(place.local, "disk")), [content]);
	}));

test("the same files have the same id wherever they lie, and are kept once; a mode, a name or a byte makes it another", () =>
	withContents(async (place) => {
		const contents = place.contents();
		const store = () => contents.store(place.pack, options);
		const first = await store();
		const count = await place.storage.count("pack_content_chunk", {});
		assert.equal(count, 3);
		mkdirSync(join(place.pack, "without-files"));
		assert.deepEqual(await Promise.all([store(), place.contents().store(place.pack, { ...options, pack: "other" })]), [first, first]);
		assert.equal(await place.storage.count("pack_content_chunk", {}), count);
		chmodSync(join(place.pack, "actions/empty.py"), 0o755);
		const second = await store();
		place.write("actions/empty.py", "#", 0o755);
		const third = await store();
		place.write("actions/other.py", "");
		assert.equal(new Set([first, second, third, await store()]).size, 4);
	}));

test("files are read straight from the storage", () =>
	withContents(async (place) => {
		const contents = place.contents();
		const content = await contents.store(place.pack, options);
		const files = await contents.files(content);
		assert.deepEqual(
			files.map(({ path, executable, size }) => [path, executable, size]),
			[
				["actions/empty.py", false, 0],
				["actions/sweep.sh", true, 10],
				["etc/large.bin", false, 1_000_000],
				["pack.yaml", false, 11],
			],
		);
		for (const { path } of files) assert.deepEqual(await contents.readFile(content, path), readFileSync(join(place.pack, path)));
		await assert.rejects(contents.readFile(content, "../data"), /file "\.\.\/data" does not exist/);
		await assert.rejects(contents.files("0".repeat(64)), { code: "SVC_NOT_FOUND" });
	}));

test("what cannot be kept is refused by name", () =>
	withContents(async (place) => {
		const contents = place.contents();
		const refused = async (make: () => void, path: string, message: RegExp) => {
			make();
			await assert.rejects(contents.store(place.pack, options), (error: Error) => message.test(error.message));
			rmSync(join(place.pack, path), { recursive: true });
		};
		await refused(
			() => symlinkSync("/etc/passwd", join(place.pack, "way-out")),
			"way-out",
			/"way-out" must be a regular file or a directory/,
		);
		await refused(() => place.write("new\nline", ""), "new\nline", /"new\\nline" must be UTF-8 without control characters/);
		await refused(() => place.write(`${"d/".repeat(60)}deep`, ""), "d", /50 directories deep/);
		await refused(() => place.write("big", Buffer.alloc(9_000_001)), "big", /at most 10000000 bytes/);
		const many = () => Array.from({ length: 97 }, (_, index) => place.write(`many/${index}`, ""));
		await refused(many, "many", /at most 100 files/);
		assert.equal(await place.storage.count("pack_content", {}), 0);
		await contents.store(place.pack, options);
	}));

test("nothing refers to a path out of the data directory", () =>
	withContents(async (place) => {
		const contents = place.contents();
		const content = await contents.store(place.pack, options);
		for (const [pack, id] of [
			["..", content],
			["disk/..", content],
			["disk", "../.."],
		] as const)
			await assert.rejects(contents.directory(pack, id), { code: "SVC_RUNNER" });
		await assert.rejects(
			contents.directory("disk", "0".repeat(64)),
			/pack "disk" that this run needs \(000000000000\) are no longer stored/,
		);
	}));

test("several callers and processes at once get one whole directory", () =>
	withContents(async (place) => {
		const content = await place.contents().store(place.pack, options);
		const processes = [place.contents(), place.contents(), place.contents()];
		const asked = processes.flatMap((contents) => [contents.directory("disk", content), contents.directory("disk", content)]);
		assert.equal(new Set(await Promise.all(asked)).size, 1);
		assert.deepEqual(readdirSync(join(place.local, "disk")), [content]);
	}));

test("a later process makes good what was changed or lost in a directory", () =>
	withContents(async (place) => {
		const content = await place.contents().store(place.pack, options);
		const directory = await place.contents().directory("disk", content);
		const damages = [
			() => writeFileSync(join(directory, "pack.yaml"), "name: dusk\n"),
			() => chmodSync(join(directory, "actions"), 0o700) ?? rmSync(join(directory, "actions/empty.py")),
		];
		for (const damage of damages) {
			chmodSync(join(directory, "pack.yaml"), 0o600);
			damage();
			assert.equal(await place.contents().directory("disk", content), directory);
			assert.equal(readFileSync(join(directory, "pack.yaml"), "utf8"), "name: disk\n");
			assert.ok(existsSync(join(directory, "actions/empty.py")));
		}
	}));

test("content that is damaged where it is kept is never laid out", () =>
	withContents(async (place) => {
		const content = await place.contents().store(place.pack, options);
		const id = `${content}:000001`;
		const { data = "" } = (await place.storage.get("pack_content_chunk", id)) ?? {};
		await place.storage.update("pack_content_chunk", id, { data: `AAAA${data.slice(4)}` });
		await assert.rejects(place.contents().directory("disk", content), /"etc\/large\.bin" differs from the stored file/);
		await place.storage.remove("pack_content_chunk", { where: { id } });
		await assert.rejects(place.contents().directory("disk", content), /chunk 1 is missing/);
		assert.deepEqual(readdirSync(join(place.local, "disk")), []);
	}));

/** Calls go on until one of those is reached, which throws, perhaps after it was made. */
function breaking(storage: Storage, methods: readonly string[], at: number, isMade: boolean): Storage {
	let calls = 0;
	return new Proxy(storage, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name);
			if (typeof name !== "string" || typeof member !== "function" || !methods.includes(name)) return member;
			return async (...values: unknown[]) => {
				calls += 1;
				if (calls > at || (calls === at && !isMade)) throw new Error("killed");
				const answer: unknown = await member.apply(target, values);
				if (calls === at) throw new Error("killed");
				return answer;
			};
		},
	});
}

test("storing that ends at any write leaves nothing that is seen, and the next one brings it to its end", () =>
	withContents(async (place) => {
		const content = await place.contents().store(place.pack, options);
		const chunks = await place.storage.find("pack_content_chunk", {});
		for (let at = 1, isOver = false; !isOver; at += 1) {
			for (const isMade of [false, true]) {
				await place.storage.remove("pack_content", { where: {} });
				await place.storage.remove("pack_content_chunk", { where: {} });
				const broken = place.contents({ storage: breaking(place.storage, ["insert", "update"], at, isMade) });
				isOver = await broken.store(place.pack, options).then(
					() => true,
					() => false,
				);
				const isThere = await place
					.contents()
					.directory("disk", content)
					.then(
						() => true,
						() => false,
					);
				// The last of them says that it is there; its answer may get lost.
				if (isThere) assert.equal((await place.storage.get("pack_content", content))?.complete, true);
				assert.equal(await place.contents().store(place.pack, options), content);
				assert.deepEqual(await place.storage.find("pack_content_chunk", {}), chunks);
			}
		}
	}));

test("laying out that fails at any read leaves nothing, and the next one succeeds", () =>
	withContents(async (place) => {
		const content = await place.contents().store(place.pack, options);
		for (let at = 1; ; at += 1) {
			const broken = place.contents({ storage: breaking(place.storage, ["get", "find"], at, false) });
			const isDone = await broken.directory("disk", content).then(
				() => true,
				() => false,
			);
			if (isDone) break;
			assert.deepEqual(existsSync(join(place.local, "disk")) ? readdirSync(join(place.local, "disk")) : [], []);
		}
		assert.deepEqual(readdirSync(join(place.local, "disk")), [content]);
	}));

test("a file that is changed while it is stored is named", () =>
	withContents(async (place) => {
		const changing = new Proxy(place.storage, {
			get(target, name) {
				if (name === "insert") place.write("actions/sweep.sh", "#!/bin/false\n", 0o755);
				return Reflect.get(target, name);
			},
		});
		await assert.rejects(
			place.contents({ storage: changing }).store(place.pack, options),
			/"actions\/sweep\.sh" changed while it was read/,
		);
	}));

test("directories go from a node when the storage has let go of their content, and an hour after they were made", () =>
	withContents(async (place) => {
		const contents = place.contents();
		const old = await contents.store(place.pack, options);
		place.write("pack.yaml", "name: disk 2\n");
		const current = await contents.store(place.pack, options);
		for (const content of [old, current]) await contents.directory("disk", content);
		for (const name of [".new-left", "of-somebody-else"]) mkdirSync(join(place.local, "disk", name));
		await place.storage.remove("pack_content", { where: { id: old } });
		await contents.sweep();
		assert.equal(readdirSync(join(place.local, "disk")).length, 4);
		const before = Date.now() / 1_000 - 3_700;
		for (const name of readdirSync(join(place.local, "disk"))) utimesSync(join(place.local, "disk", name), before, before);
		await contents.sweep();
		assert.deepEqual(readdirSync(join(place.local, "disk")).sort(), [current, "of-somebody-else"]);
		await assert.rejects(contents.directory("disk", old), /no longer stored/);
	}));

test.run();
