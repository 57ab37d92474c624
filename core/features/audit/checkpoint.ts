import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { AuditCheckpointEntity } from "../../contract/index.ts";
import type { Head } from "./chain.ts";

/** A checkpoint as it leaves the service. */
export type AuditCheckpoint = Omit<AuditCheckpointEntity, "id">;

/** Sign what the record is now. */
export function toCheckpoint({ number, hash }: Head, timestamp: string, privateKey: KeyObject): AuditCheckpoint {
	const public_key = createPublicKey(privateKey).export({ type: "spki", format: "der" }).toString("base64");
	const signature = sign(null, toSigned({ number, hash, timestamp }), privateKey).toString("base64");
	return { number, hash, timestamp, public_key, signature };
}

/** Whether the signature is that of the checkpoint's own key. */
export function isSigned(checkpoint: AuditCheckpoint): boolean {
	try {
		const key = createPublicKey({ key: Buffer.from(checkpoint.public_key, "base64"), format: "der", type: "spki" });
		if (key.asymmetricKeyType !== "ed25519") return false;
		return verify(null, toSigned(checkpoint), key, Buffer.from(checkpoint.signature, "base64"));
	} catch {
		// Whatever is no key or no signature has signed nothing.
		return false;
	}
}

/** What people compare keys by: the first 16 hex digits of the SHA-256 of the public key. */
export function toKeyId(publicKey: string): string {
	return createHash("sha256").update(Buffer.from(publicKey, "base64")).digest("hex").slice(0, 16);
}

function toSigned({ number, hash, timestamp }: Pick<AuditCheckpoint, "number" | "hash" | "timestamp">): Buffer {
	return Buffer.from(JSON.stringify(["svc-audit-checkpoint-1", number, hash, timestamp]));
}
