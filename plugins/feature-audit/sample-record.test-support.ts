import { generateKeyPairSync } from "node:crypto";
import type { Storage } from "../../core/contract/index.ts";
import { getSystemClock, toTimestamp } from "../../core/kernel/basics/clock.ts";
import { createId } from "../../core/kernel/basics/ids.ts";
import { AuditChain } from "./audit-chain.ts";
import { type AuditCheckpoint, toCheckpoint } from "./checkpoint.ts";
import type { AuditDraft } from "./entry-hash.ts";
import { StoredChainVerification } from "./stored-chain-verification.ts";

const clock = getSystemClock();
const { privateKey } = generateKeyPairSync("ed25519");

/** What another storage might give back otherwise. */
const odd = ["ünï", "\\u0041", "a\nb", "'\";--", "😀", ""];

function toDraft(index: number): AuditDraft {
	const record = { record_kind: "rule", record_id: createId(clock), ref: `default.${odd[index % odd.length]}${index}` };
	const change = { verb: "update", ...record, outcome: "done", fields: ["criteria", odd[index % odd.length] ?? ""], detail: null };
	const asked = { user: "maria", credential: "none", address: null, node: "n", request_id: null, request: "PUT /rules/:ref" };
	return { timestamp: toTimestamp(clock.now()), ...asked, ...change };
}

/** Add entries behind those that are there, and sign the end; what was signed, which the storage keeps as well. */
export async function addToRecord(storage: Storage, count: number): Promise<AuditCheckpoint> {
	const chain = new AuditChain({ storage, clock, onAppended: () => {} });
	await chain.append(Array.from({ length: count }, (_, index) => toDraft(index)));
	const checkpoint = toCheckpoint(await chain.head(), toTimestamp(clock.now()), privateKey);
	await storage.insert("audit_checkpoint", [{ id: createId(clock), ...checkpoint }]);
	return checkpoint;
}

/** What is found in the record of a storage. */
export async function findingsIn(storage: Storage): Promise<readonly string[]> {
	const { findings } = await new StoredChainVerification(storage).look();
	return findings.map(({ problem }) => problem);
}
