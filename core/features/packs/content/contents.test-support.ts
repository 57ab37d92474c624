import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Storage } from "../../../contract/index.ts";
import { type EngineClock, getSystemClock } from "../../../kernel/basics/clock.ts";
import { createBackend } from "../../../testing/backends/backend.test-support.ts";
import { silentLogger } from "../../../testing/run-context.ts";
import { removeTree } from "./content-directory.ts";
import { PackContents } from "./pack-contents.ts";

export const never: AbortSignal = new AbortController().signal;

/** A storage and directories for tests of content, which go with it. */
export class ContentPlace {
	readonly #backend = createBackend();
	readonly storage: Storage = this.#backend.storage.create();
	readonly root = realpathSync(mkdtempSync(join(tmpdir(), "svc-contents-")));
	/** The directory of a pack that is to be stored. */
	readonly pack = join(this.root, "pack");
	/** Where it is laid out. */
	readonly local = join(this.root, "data", "packs");

	/** Write a file of the pack. */
	write(path: string, data: string | Buffer, mode = 0o644): void {
		const file = join(this.pack, path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, data);
		chmodSync(file, mode);
	}

	/** As a process of the service has it; several are several processes. */
	contents(given: { readonly storage?: Storage; readonly clock?: EngineClock; readonly root?: string } = {}): PackContents {
		const limits = { size: 10_000_000, files: 100 };
		return new PackContents({
			storage: this.storage,
			clock: getSystemClock(),
			logger: silentLogger,
			root: this.local,
			limits,
			...given,
		});
	}

	async remove(): Promise<void> {
		await this.#backend.release();
		await removeTree(this.local);
		rmSync(this.root, { recursive: true });
	}
}

/** Run with a place whose pack has a few files: one that can be executed, an empty one, and one of several pieces. */
export async function withContents(use: (place: ContentPlace) => Promise<void>): Promise<void> {
	const place = new ContentPlace();
	try {
		place.write("pack.yaml", "name: disk\n");
		place.write("actions/sweep.sh", "#!/bin/sh\n", 0o755);
		place.write("actions/empty.py", "");
		place.write("etc/large.bin", Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => (index * index) % 251)));
		await use(place);
	} finally {
		await place.remove();
	}
}
