import * as assert from "node:assert/strict";
import { appendFile, type FileHandle, mkdtemp, open, readdir, readlink, rename, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { StoredPosition } from "./position.ts";
import { Tail } from "./tail.ts";

interface Setup {
	readonly path: string;
	readonly tail: Tail;
	readonly lines: string[];
	/** Done before the next read of the file at this offset. */
	beforeReadAt(offset: number, work: () => Promise<void>): void;
	/** Done when the next line is told. */
	onLine(work: () => Promise<void>): void;
}

/** A tail of an empty file, which is to be read from its beginning. */
async function withTail(use: (setup: Setup) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-tail-"));
	const path = join(directory, "log");
	const lines: string[] = [];
	let [readAt, beforeRead, whenTold] = [-1, async () => {}, async () => {}];
	let stored: StoredPosition = null;
	const watch = (handle: FileHandle): FileHandle =>
		new Proxy(handle, {
			get(target, name) {
				if (name !== "read") return typeof Reflect.get(target, name) === "function" ? Reflect.get(target, name).bind(target) : undefined;
				return async (...[buffer, start, length, position]: [Buffer, number, number, number]) => {
					if (position === readAt) {
						readAt = -1;
						await beforeRead();
					}
					return target.read(buffer, start, length, position);
				};
			},
		});
	const tail = new Tail({
		path,
		files: { open: async (name) => watch(await open(name)) },
		signal: new AbortController().signal,
		load: async () => stored,
		save: async (position) => {
			stored = position;
		},
		async onLine(line) {
			lines.push(line);
			const work = whenTold;
			whenTold = async () => {};
			await work();
		},
		onGap: () => {},
	});
	try {
		await writeFile(path, "");
		await use({
			path,
			tail,
			lines,
			beforeReadAt(offset, work) {
				[readAt, beforeRead] = [offset, work];
			},
			onLine(work) {
				whenTold = work;
			},
		});
	} finally {
		await tail.stop();
		await rm(directory, { recursive: true });
	}
}

test("a file that is written anew between two looks at it is read from its beginning", () =>
	withTail(async ({ path, tail, lines, beforeReadAt }) => {
		await writeFile(path, "c\n");
		await tail.look();
		await utimes(path, 1, 1);
		beforeReadAt(2, () => writeFile(path, "d which is longer\ne\n"));
		for (let look = 0; look < 2; look += 1) await tail.look();
		assert.deepEqual(lines, ["c", "d which is longer", "e"]);
	}));

for (const [name, empty] of [
	["emptied", (path: string) => truncate(path)],
	["written anew", (path: string) => writeFile(path, "something longer\n")],
] as const) {
	test(`what was read just before the file was ${name} is told`, () =>
		withTail(async ({ path, tail, lines, beforeReadAt }) => {
			await writeFile(path, "c\n");
			await tail.look();
			await appendFile(path, "d\n");
			// Once what is new has been read, it is asked whether the file is the same still.
			beforeReadAt(2, async () => beforeReadAt(0, () => empty(path)));
			for (let look = 0; look < 2; look += 1) await tail.look();
			assert.deepEqual(lines.slice(0, 2), ["c", "d"]);
			assert.deepEqual(lines.slice(2), name === "emptied" ? [] : ["something longer"]);
		}));
}

test("a file that is written anew while its lines are told is read from its beginning", () =>
	withTail(async ({ path, tail, lines, onLine }) => {
		await writeFile(path, "c\n");
		onLine(() => writeFile(path, "d which is longer\ne\n"));
		for (let look = 0; look < 2; look += 1) await tail.look();
		assert.deepEqual(lines, ["c", "d which is longer", "e"]);
	}));

/** Fails one read of a file, counted from now. */
async function failRead(path: string, count: number): Promise<() => void> {
	const handle = await open(path);
	const prototype = Object.getPrototypeOf(handle);
	await handle.close();
	const { read } = prototype;
	let left = count;
	prototype.read = function (this: FileHandle, ...given: unknown[]) {
		left -= 1;
		return left === 0 ? Promise.reject(new Error("the disk is broken")) : read.apply(this, given);
	};
	return () => {
		prototype.read = read;
	};
}

async function findOpenBelow(directory: string): Promise<string[]> {
	const targets = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
	return (await Promise.all(targets)).filter((target) => target.startsWith(directory));
}

for (const [when, count] of [
	["it is recognized", 1],
	["it is taken", 2],
] as const) {
	test(`a file that was moved away and cannot be read when ${when} is not left open, and read on later`, () =>
		withTail(async ({ path, tail, lines }) => {
			await writeFile(path, "c\n");
			await tail.look();
			await tail.stop();
			await appendFile(path, "d\n");
			await rename(path, `${path}.1`);
			await writeFile(path, "e\n");
			const mend = await failRead(path, count);
			try {
				await assert.rejects(tail.look(), /the disk is broken/);
				assert.deepEqual(await findOpenBelow(path), []);
			} finally {
				mend();
			}
			await tail.look();
			assert.deepEqual(lines, ["c", "d"]);
		}));
}

test.run();
