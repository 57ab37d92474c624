import { createHash } from "node:crypto";
import { type EntityKind, entityKinds, type Storage, stringifyJson } from "../../contract/index.ts";
import { readPages } from "./pages.ts";

/** How many records of a kind there are, and a hash of all they hold. */
export interface Digest {
	readonly count: number;
	/** SHA-256, hex. */
	readonly hash: string;
}

/** Digest of all records of a kind in the order of their ids; members of JSON in the order in which they are kept. */
export async function digest(storage: Storage, kind: EntityKind): Promise<Digest> {
	const fields = Object.keys(entityKinds[kind].fields);
	const hash = createHash("sha256");
	let count = 0;
	for await (const page of readPages(storage, kind, "")) {
		count += page.length;
		for (const entity of page) {
			const values: Readonly<Record<string, unknown>> = { ...entity };
			hash.update(`${stringifyJson(fields.map((field) => values[field]))}\n`);
		}
	}
	return { count, hash: hash.digest("hex") };
}
