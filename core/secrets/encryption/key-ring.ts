import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { type Logger, SvcError, toErrorMessage } from "../../contract/index.ts";
import { type Ciphertext, type ItemAddress, parseCiphertext, toCiphertextHeader } from "./ciphertext.ts";
import { addKey, changeKeyFile, createKeyFile, findKeyExposure, readKeyFile, type StoredKeys } from "./key-file.ts";

const byteLengths = { nonce: 12, tag: 16 };
const sealPattern = /^seal1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;

export interface KeyRingOptions {
	/** Path of the key file. */
	readonly path: string;
	/** Value of `keyvalue.enable_encryption`. */
	readonly isEnabled: boolean;
	readonly logger: Logger;
}

/**
 * Encrypts and decrypts with the keys of the key file, using AES-256-GCM. Each ciphertext names its key, so that old keys remain
 * usable.
 *
 * The key ring checks the file before each use, because another process of this machine may have rotated the key.
 */
export class KeyRing {
	readonly #parts: KeyRingOptions;
	#storedKeys: StoredKeys | undefined;
	#fileVersion = "";

	constructor(parts: KeyRingOptions) {
		this.#parts = parts;
	}

	/** Encrypts the value of one item. The ciphertext is valid only for this item. Throws `SVC_INVALID` if there is no key. */
	encrypt(text: string, address: ItemAddress): string {
		return this.#encrypt(text, toCiphertextHeader(this.#requireKeys().current, address));
	}

	/**
	 * Decrypts the value of the item at this address.
	 *
	 * Throws `SVC_INVALID` if the string is not a ciphertext, belongs to another item, was modified, or requires a missing key. Ciphertexts
	 * of earlier versions name no item: the caller must ensure that the ciphertext is that of the item.
	 */
	decrypt(cipherText: string, { scope, name }: ItemAddress): string {
		const parsed = parseCiphertext(cipherText);
		if (parsed === undefined) throw new SvcError("SVC_INVALID", "value: not a ciphertext created by this service");
		const { keyId, header, data, address = { scope, name } } = parsed;
		if (address.scope !== scope || address.name !== name) throw new SvcError("SVC_INVALID", "value: encrypted for another datastore item");
		return this.#decrypt({ keyId, header, data });
	}

	/**
	 * Encrypts a string that is not the value of an item. The result cannot be used as the value of one. Throws `SVC_INVALID` if there is
	 * no key.
	 */
	encryptText(text: string): string {
		return this.#encrypt(text, toSealHeader(this.#requireKeys().current));
	}

	/**
	 * Decrypts the result of `encryptText`. Throws `SVC_INVALID` for any other string, and if it was modified or requires a missing key.
	 */
	decryptText(sealed: string): string {
		const [, keyId = "", data = ""] = sealPattern.exec(sealed) ?? [];
		if (keyId === "") throw new SvcError("SVC_INVALID", "value: not encrypted by this service");
		return this.#decrypt({ keyId, header: toSealHeader(keyId), data });
	}

	/** Returns true if a ciphertext was created with the current key. */
	usesCurrentKey(cipherText: string): boolean {
		return keyIdOf(cipherText) === this.currentId;
	}

	/** Returns true if the key of a ciphertext is available. */
	hasKeyFor(cipherText: string): boolean {
		return Object.hasOwn(this.#loadKeys()?.keys ?? {}, keyIdOf(cipherText));
	}

	/** Creates the key file if it does not exist. */
	createKeyFile(): void {
		const { path, logger } = this.#parts;
		if (createKeyFile(path)) logger.info("key file of the datastore created", { path });
	}

	/** Adds a key and makes it the current key. Returns its id. Throws `SVC_INVALID` if there is no key. */
	addKey(): string {
		this.#requireKeys();
		const { current } = changeKeyFile(this.#parts.path, addKey);
		this.#loadKeys();
		return current;
	}

	/** Removes the keys for which `isUnused` returns true, except the current key. Returns the ids of the removed keys. */
	removeUnusedKeys(isUnused: (keyId: string) => boolean): readonly string[] {
		this.#requireKeys();
		const removedIds: string[] = [];
		changeKeyFile(this.#parts.path, ({ current, keys }) => {
			removedIds.push(...Object.keys(keys).filter((id) => id !== current && isUnused(id)));
			return { current, keys: Object.fromEntries(Object.entries(keys).filter(([id]) => !removedIds.includes(id))) };
		});
		return removedIds;
	}

	/** Returns the problem of the key file. Returns undefined if secrets can be encrypted, or if encryption is disabled. */
	findProblem(): string | undefined {
		const { path, isEnabled } = this.#parts;
		if (!isEnabled) return undefined;
		if (this.#loadKeys() === undefined) return `no usable key file exists at "${path}"`;
		return findKeyExposure(path, statSync(path), process.geteuid?.() ?? 0);
	}

	/** Id of the current key. Undefined if there is no key. */
	get currentId(): string | undefined {
		return this.#loadKeys()?.current;
	}

	#loadKeys(): StoredKeys | undefined {
		const { path, isEnabled, logger } = this.#parts;
		if (!isEnabled) return undefined;
		try {
			const stats = statSync(path, { throwIfNoEntry: false });
			const fileVersion = stats === undefined ? "" : `${stats.ino}:${stats.mtimeMs}:${stats.size}`;
			if (fileVersion === this.#fileVersion) return this.#storedKeys;
			this.#storedKeys = readKeyFile(path);
			this.#fileVersion = fileVersion;
		} catch (error) {
			logger.error("key file of the datastore cannot be used", { error: toErrorMessage(error) });
			return undefined;
		}
		return this.#storedKeys;
	}

	#requireKeys(): StoredKeys {
		const keys = this.#loadKeys();
		if (keys !== undefined) return keys;
		throw new SvcError(
			"SVC_INVALID",
			this.#parts.isEnabled
				? "no encryption key was found, so secret values can be neither stored nor read; check keyvalue.encryption_key_path"
				: "secret values can be neither stored nor read while keyvalue.enable_encryption is false",
		);
	}

	#keyOf(id: string): Buffer {
		const { keys } = this.#requireKeys();
		const key = Object.hasOwn(keys, id) ? keys[id] : undefined;
		if (key === undefined) throw new SvcError("SVC_INVALID", `value: encrypted with key "${id}", which is not in the key file`);
		return Buffer.from(key, "base64url");
	}

	/** Encrypts with the current key, which the header must name. */
	#encrypt(text: string, header: string): string {
		const nonce = randomBytes(byteLengths.nonce);
		const cipher = createCipheriv("aes-256-gcm", this.#keyOf(this.#requireKeys().current), nonce).setAAD(Buffer.from(header));
		const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
		return `${header}${Buffer.concat([nonce, cipher.getAuthTag(), data]).toString("base64url")}`;
	}

	#decrypt({ keyId, header, data }: Pick<Ciphertext, "keyId" | "header" | "data">): string {
		const bytes = Buffer.from(data, "base64url");
		const tagEnd = byteLengths.nonce + byteLengths.tag;
		const key = this.#keyOf(keyId);
		try {
			const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, byteLengths.nonce), { authTagLength: byteLengths.tag })
				.setAAD(Buffer.from(header))
				.setAuthTag(bytes.subarray(byteLengths.nonce, tagEnd));
			return decipher.update(bytes.subarray(tagEnd), undefined, "utf8") + decipher.final("utf8");
		} catch (error) {
			throw new SvcError("SVC_INVALID", "integrity check of the encrypted value failed", { cause: error });
		}
	}
}

function toSealHeader(keyId: string): string {
	return `seal1.${keyId}.`;
}

/** Returns the id of the key of a ciphertext. Returns an empty string if the argument is not a ciphertext. */
export function keyIdOf(cipherText: string): string {
	return parseCiphertext(cipherText)?.keyId ?? "";
}
