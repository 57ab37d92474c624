import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { type Logger, SvcError, toErrorMessage } from "../../contract/index.ts";
import { type CipherText, parseCipherText, type SealedPlace, toHeader } from "./ciphertext.ts";
import { addKey, changeKeyFile, createKeyFile, findKeyExposure, readKeyFile, type StoredKeys } from "./key-file.ts";

const sizes = { nonce: 12, tag: 16 };
const sealPattern = /^seal1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;

export interface KeyRingParts {
	readonly path: string;
	/** `keyvalue.enable_encryption`. */
	readonly isEnabled: boolean;
	readonly logger: Logger;
}

/**
 * Encrypts the values of secret items with AES-256-GCM. Each cipher text names its key, so that several keys can be read. The file is
 * looked at before each use: another process of this machine may have rotated the key.
 */
export class KeyRing {
	readonly #parts: KeyRingParts;
	#stored: StoredKeys | undefined;
	#version = "";

	constructor(parts: KeyRingParts) {
		this.#parts = parts;
	}

	/** For one item: nothing else's value can be made of it. `SVC_INVALID` when there is no key. */
	encrypt(text: string, address: SealedPlace): string {
		return this.#close(text, toHeader(this.#need().current, address));
	}

	/**
	 * The value of the item at that address. `SVC_INVALID` for what is no cipher text, was made for another item, was changed, or
	 * needs a key that is not there. Older cipher texts name no item: see to it that one is the item's own.
	 */
	decrypt(cipherText: string, { scope, name }: SealedPlace): string {
		const parsed = parseCipherText(cipherText);
		if (parsed === undefined) throw new SvcError("SVC_INVALID", "the value is no cipher text of this service");
		const { keyId, header, data, address = { scope, name } } = parsed;
		if (address.scope !== scope || address.name !== name) throw new SvcError("SVC_INVALID", "the value was encrypted for another item");
		return this.#open({ keyId, header, data });
	}

	/** For what is no item, and can never be the value of one. `SVC_INVALID` when there is no key. */
	seal(text: string): string {
		return this.#close(text, toSealHeader(this.#need().current));
	}

	/** What was sealed. `SVC_INVALID` as of `decrypt`. */
	unseal(sealed: string): string {
		const [, keyId = "", data = ""] = sealPattern.exec(sealed) ?? [];
		if (keyId === "") throw new SvcError("SVC_INVALID", "the value is no sealed text of this service");
		return this.#open({ keyId, header: toSealHeader(keyId), data });
	}

	/** Whether a cipher text was made with the key that is used for new ones. */
	isCurrent(cipherText: string): boolean {
		return keyIdOf(cipherText) === this.currentId;
	}

	/** Whether its key is there. */
	isKnown(cipherText: string): boolean {
		return Object.hasOwn(this.#load()?.keys ?? {}, keyIdOf(cipherText));
	}

	/** Make a key file unless there is one. */
	create(): void {
		const { path, logger } = this.#parts;
		if (createKeyFile(path)) logger.info("key file of the datastore made", { path });
	}

	/** Add a key and use it from now on; its id. */
	add(): string {
		this.#need();
		const { current } = changeKeyFile(this.#parts.path, addKey);
		this.#load();
		return current;
	}

	/** Forget the keys for which `isUnused` holds, except the current one; their ids. */
	forget(isUnused: (keyId: string) => boolean): readonly string[] {
		this.#need();
		const gone: string[] = [];
		changeKeyFile(this.#parts.path, ({ current, keys }) => {
			gone.push(...Object.keys(keys).filter((id) => id !== current && isUnused(id)));
			return { current, keys: Object.fromEntries(Object.entries(keys).filter(([id]) => !gone.includes(id))) };
		});
		return gone;
	}

	/** What is wrong with the key file; undefined when secrets can be kept. */
	problem(): string | undefined {
		const { path, isEnabled } = this.#parts;
		if (!isEnabled) return undefined;
		if (this.#load() === undefined) return `there is no usable key file at "${path}"`;
		return findKeyExposure(path, statSync(path), process.geteuid?.() ?? 0);
	}

	get currentId(): string | undefined {
		return this.#load()?.current;
	}

	#load(): StoredKeys | undefined {
		const { path, isEnabled, logger } = this.#parts;
		if (!isEnabled) return undefined;
		try {
			const found = statSync(path, { throwIfNoEntry: false });
			const next = found === undefined ? "" : `${found.ino}:${found.mtimeMs}:${found.size}`;
			if (next === this.#version) return this.#stored;
			this.#stored = readKeyFile(path);
			this.#version = next;
		} catch (error) {
			logger.error("key file of the datastore cannot be used", { error: toErrorMessage(error) });
			return undefined;
		}
		return this.#stored;
	}

	#need(): StoredKeys {
		const keys = this.#load();
		if (keys !== undefined) return keys;
		throw new SvcError(
			"SVC_INVALID",
			this.#parts.isEnabled
				? "no encryption key was found: secret values can be neither kept nor read (keyvalue.encryption_key_path)"
				: "secret values can be neither kept nor read while keyvalue.enable_encryption is false",
		);
	}

	#keyOf(id: string): Buffer {
		const { keys } = this.#need();
		const key = Object.hasOwn(keys, id) ? keys[id] : undefined;
		if (key === undefined) throw new SvcError("SVC_INVALID", `the value was encrypted with key "${id}", which is not in the key file`);
		return Buffer.from(key, "base64url");
	}

	/** Encrypt with the current key, which the header names. */
	#close(text: string, header: string): string {
		const nonce = randomBytes(sizes.nonce);
		const cipher = createCipheriv("aes-256-gcm", this.#keyOf(this.#need().current), nonce).setAAD(Buffer.from(header));
		const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
		return `${header}${Buffer.concat([nonce, cipher.getAuthTag(), data]).toString("base64url")}`;
	}

	#open({ keyId, header, data }: Pick<CipherText, "keyId" | "header" | "data">): string {
		const bytes = Buffer.from(data, "base64url");
		const tagEnd = sizes.nonce + sizes.tag;
		const key = this.#keyOf(keyId);
		try {
			const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, sizes.nonce), { authTagLength: sizes.tag })
				.setAAD(Buffer.from(header))
				.setAuthTag(bytes.subarray(sizes.nonce, tagEnd));
			return decipher.update(bytes.subarray(tagEnd), undefined, "utf8") + decipher.final("utf8");
		} catch (error) {
			throw new SvcError("SVC_INVALID", "integrity check of the encrypted value failed", { cause: error });
		}
	}
}

function toSealHeader(keyId: string): string {
	return `seal1.${keyId}.`;
}

/** Id of the key a cipher text was made with; empty when it is none. */
export function keyIdOf(cipherText: string): string {
	return parseCipherText(cipherText)?.keyId ?? "";
}
