import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { SvcError, toErrorMessage } from "../../contract/index.ts";

/** The key that signs checkpoints, made where there is none. `SVC_CONFIG` for a file that holds something else. */
export function readCheckpointKey(path: string): KeyObject {
	const text = readText(path) ?? createKey(path);
	let key: KeyObject;
	try {
		key = createPrivateKey(text);
	} catch (error) {
		throw damaged(path, error);
	}
	if (key.asymmetricKeyType !== "ed25519") throw damaged(path, undefined);
	return key;
}

function damaged(path: string, cause: unknown): SvcError {
	return new SvcError("SVC_CONFIG", `audit.checkpoint_key_path: "${path}" must be an Ed25519 private key (PEM)`, { cause });
}

function readText(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
		throw new SvcError("SVC_CONFIG", `audit.checkpoint_key_path: "${path}" cannot be read: ${toErrorMessage(error)}`, { cause: error });
	}
}

/** Of two processes that make one at the same time, both get the same. */
function createKey(path: string): string {
	const temporary = `${path}.${process.pid}`;
	const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
	writeFileSync(temporary, pem, { mode: 0o600, flush: true });
	try {
		linkSync(temporary, path);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
	} finally {
		unlinkSync(temporary);
	}
	return readFileSync(path, "utf8");
}
