import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type PackContentFile, SvcError } from "../../../core/contract/index.ts";
import { containsFiles, extractFiles, removeExtracted, toContentId } from "../../../core/feature.ts";
import type { HandedJob } from "../workers-exports.ts";
import type { ServiceClient } from "./service-client.ts";

/** Maximum bytes of the files that one request fetches. */
const pieceLength = 1_048_576;
const packName = /^[a-z0-9_]+$/;
const contentName = /^[0-9a-f]{64}$/;

/**
 * Cache of pack files, in one directory for each content: `<root>/<pack>/<content>`. They are fetched for the first run that needs them.
 */
export class PackCache {
	readonly #root: string;
	readonly #connection: Pick<ServiceClient, "post">;
	readonly #ready = new Map<string, Promise<void>>();

	constructor(root: string, connection: Pick<ServiceClient, "post">) {
		this.#root = root;
		this.#connection = connection;
	}

	/** Returns the absolute path of the directory with the pack files of a job. They are identical to those of the service. */
	async directory(job: HandedJob, content: string): Promise<string> {
		const { pack } = job.spec;
		// With other characters in these names, the path could be outside of the root directory.
		if (!packName.test(pack) || !contentName.test(content)) throw new SvcError("SVC_RUNNER", `pack "${pack}" has no content "${content}"`);
		const path = join(this.#root, pack, content);
		let ready = this.#ready.get(path);
		if (ready === undefined) {
			ready = this.#prepare(path, job, content);
			this.#ready.set(path, ready);
			ready.catch(() => this.#ready.delete(path));
		}
		await ready;
		return path;
	}

	async #prepare(path: string, { id, fence, spec }: HandedJob, content: string): Promise<void> {
		const ask = `/workers/jobs/${id}`;
		const { files } = await this.#connection.post<{ readonly files: readonly PackContentFile[] }>(`${ask}/files`, { fence });
		// The content id is a hash that also covers the paths, so a matching list contains only files of the pack.
		if (toContentId(files) !== content) throw new SvcError("SVC_RUNNER", `the files of pack "${spec.pack}" differ from the expected files`);
		if (await containsFiles(path, files)) return;
		await mkdir(join(this.#root, spec.pack), { recursive: true, mode: 0o700 });
		await removeExtracted(path);
		const read = (start: number, length: number) =>
			this.#connection.post<{ readonly data: string }>(`${ask}/bytes`, { fence, start, length });
		let at = 0;
		await extractFiles(path, files, (length) => {
			const start = at;
			at += length;
			return pieces(read, start, at);
		});
	}
}

async function* pieces(
	read: (start: number, length: number) => Promise<{ readonly data: string }>,
	start: number,
	end: number,
): AsyncIterable<Buffer> {
	for (let at = start; at < end; at += pieceLength) yield Buffer.from((await read(at, Math.min(pieceLength, end - at))).data, "base64");
}
