import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { AuditCheckpointEntity } from "./entities.ts";
import type { ChainHead } from "./entry-hash.ts";

/** Checkpoint as the API returns it, without the id of the storage. */
export type AuditCheckpoint = Omit<AuditCheckpointEntity, "id">;

/** Returns a signed checkpoint for an entry of the record. */
export function toCheckpoint({ number, hash }: ChainHead, timestamp: string, privateKey: KeyObject): AuditCheckpoint {
	const public_key = createPublicKey(privateKey).export({ type: "spki", format: "der" }).toString("base64");
	const signature = sign(null, toSigned({ number, hash, timestamp }), privateKey).toString("base64");
	return { number, hash, timestamp, public_key, signature };
}

/** Returns true if the signature matches the key in the checkpoint. */
export function isSigned(checkpoint: AuditCheckpoint): boolean {
	try {
		const key = createPublicKey({ key: Buffer.from(checkpoint.public_key, "base64"), format: "der", type: "spki" });
		if (key.asymmetricKeyType !== "ed25519") return false;
		return verify(null, toSigned(checkpoint), key, Buffer.from(checkpoint.signature, "base64"));
	} catch {
		// An invalid key or signature means that the checkpoint is not signed.
		return false;
	}
}

/** Returns the id by which administrators compare keys: the first 16 hex digits of the SHA-256 of the public key. */
export function toKeyId(publicKey: string): string {
	return createHash("sha256").update(Buffer.from(publicKey, "base64")).digest("hex").slice(0, 16);
}

function toSigned({ number, hash, timestamp }: Pick<AuditCheckpoint, "number" | "hash" | "timestamp">): Buffer {
	return Buffer.from(JSON.stringify(["svc-audit-checkpoint-1", number, hash, timestamp]));
}
