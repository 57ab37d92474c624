import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { type Logger, SvcError, toErrorMessage } from "../../contract/index.ts";
import { type CipherText, parseCipherText, type SealedPlace, toHeader } from "./cipher-text.ts";
import { addKey, changeKeyFile, createKeyFile, readKeyFile, type StoredKeys } from "./key-file.ts";

const sizes = { nonce: 12, tag: 16 };
const sealPattern = /^seal1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;

/** Encrypts the values of secret items with AES-256-GCM. Each cipher text names its key, so that several keys can be read. */
export interface KeyRing {
	/** For one item: nothing else's value can be made of it. `SVC_INVALID` when there is no key. */
	encrypt(text: string, address: SealedPlace): string;
	/**
	 * The value of the item at that address. `SVC_INVALID` for what is no cipher text, was made for another item, was changed, or
	 * needs a key that is not there. Older cipher texts name no item: see to it that one is the item's own.
	 */
	decrypt(cipherText: string, address: SealedPlace): string;
	/** For what is no item, and can never be the value of one. `SVC_INVALID` when there is no key. */
	seal(text: string): string;
	/** What was sealed. `SVC_INVALID` as of `decrypt`. */
	unseal(sealed: string): string;
	/** Whether a cipher text was made with the key that is used for new ones. */
	isCurrent(cipherText: string): boolean;
	/** Whether its key is there. */
	isKnown(cipherText: string): boolean;
	/** Make a key file unless there is one. */
	create(): void;
	/** Add a key and use it from now on; its id. */
	add(): string;
	/** Forget the keys for which `isUnused` holds, except the current one; their ids. */
	forget(isUnused: (keyId: string) => boolean): readonly string[];
	/** What is wrong with the key file; undefined when secrets can be kept. */
	problem(): string | undefined;
	readonly currentId: string | undefined;
}

export interface KeyRingParts {
	readonly path: string;
	/** `keyvalue.enable_encryption`. */
	readonly isEnabled: boolean;
	readonly logger: Logger;
}

/** The file is looked at before each use: another process of this machine may have rotated the key. */
export function createKeyRing({ path, isEnabled, logger }: KeyRingParts): KeyRing {
	let stored: StoredKeys | undefined;
	let version = "";

	function load(): StoredKeys | undefined {
		if (!isEnabled) return undefined;
		const found = statSync(path, { throwIfNoEntry: false });
		const next = found === undefined ? "" : `${found.ino}:${found.mtimeMs}:${found.size}`;
		if (next === version) return stored;
		try {
			stored = readKeyFile(path);
			version = next;
		} catch (error) {
			logger.error("key file of the datastore cannot be used", { error: toErrorMessage(error) });
			return undefined;
		}
		return stored;
	}

	function need(): StoredKeys {
		const keys = load();
		if (keys !== undefined) return keys;
		throw new SvcError(
			"SVC_INVALID",
			isEnabled
				? "no encryption key was found: secret values can be neither kept nor read (keyvalue.encryption_key_path)"
				: "secret values can be neither kept nor read while keyvalue.enable_encryption is false",
		);
	}

	function keyOf(id: string): Buffer {
		const { keys } = need();
		const key = Object.hasOwn(keys, id) ? keys[id] : undefined;
		if (key === undefined) throw new SvcError("SVC_INVALID", `the value was encrypted with key "${id}", which is not in the key file`);
		return Buffer.from(key, "base64url");
	}

	/** Encrypt with the current key, which the header names. */
	function close(text: string, header: string): string {
		const nonce = randomBytes(sizes.nonce);
		const cipher = createCipheriv("aes-256-gcm", keyOf(need().current), nonce).setAAD(Buffer.from(header));
		const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
		return `${header}${Buffer.concat([nonce, cipher.getAuthTag(), data]).toString("base64url")}`;
	}

	function open({ keyId, header, data }: Pick<CipherText, "keyId" | "header" | "data">): string {
		const bytes = Buffer.from(data, "base64url");
		const tagEnd = sizes.nonce + sizes.tag;
		const key = keyOf(keyId);
		try {
			const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, sizes.nonce), { authTagLength: sizes.tag })
				.setAAD(Buffer.from(header))
				.setAuthTag(bytes.subarray(sizes.nonce, tagEnd));
			return decipher.update(bytes.subarray(tagEnd), undefined, "utf8") + decipher.final("utf8");
		} catch (error) {
			throw new SvcError("SVC_INVALID", "integrity check of the encrypted value failed", { cause: error });
		}
	}

	return {
		encrypt: (text, address) => close(text, toHeader(need().current, address)),
		decrypt(cipherText, { scope, name }) {
			const parsed = parseCipherText(cipherText);
			if (parsed === undefined) throw new SvcError("SVC_INVALID", "the value is no cipher text of this service");
			const { keyId, header, data, address = { scope, name } } = parsed;
			if (address.scope !== scope || address.name !== name) throw new SvcError("SVC_INVALID", "the value was encrypted for another item");
			return open({ keyId, header, data });
		},
		seal: (text) => close(text, toSealHeader(need().current)),
		unseal(sealed) {
			const [, keyId = "", data = ""] = sealPattern.exec(sealed) ?? [];
			if (keyId === "") throw new SvcError("SVC_INVALID", "the value is no sealed text of this service");
			return open({ keyId, header: toSealHeader(keyId), data });
		},
		isCurrent: (cipherText) => keyIdOf(cipherText) === load()?.current,
		isKnown: (cipherText) => Object.hasOwn(load()?.keys ?? {}, keyIdOf(cipherText)),
		create() {
			if (createKeyFile(path)) logger.info("key file of the datastore made", { path });
		},
		add() {
			need();
			const { current } = changeKeyFile(path, addKey);
			load();
			return current;
		},
		forget(isUnused) {
			need();
			const gone: string[] = [];
			changeKeyFile(path, ({ current, keys }) => {
				gone.push(...Object.keys(keys).filter((id) => id !== current && isUnused(id)));
				return { current, keys: Object.fromEntries(Object.entries(keys).filter(([id]) => !gone.includes(id))) };
			});
			return gone;
		},
		problem() {
			if (!isEnabled) return undefined;
			if (load() === undefined) return `there is no usable key file at "${path}"`;
			const mode = statSync(path).mode & 0o777;
			return (mode & 0o077) === 0 ? undefined : `key file "${path}" can be read by other users (mode ${mode.toString(8)}); chmod 600 it`;
		},
		get currentId() {
			return load()?.current;
		},
	};
}

function toSealHeader(keyId: string): string {
	return `seal1.${keyId}.`;
}

/** Id of the key a cipher text was made with; empty when it is none. */
export function keyIdOf(cipherText: string): string {
	return parseCipherText(cipherText)?.keyId ?? "";
}
