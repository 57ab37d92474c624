import { isSvcError, parseJson, stringifyJson } from "../../core/contract/index.ts";
import type { KeyRing } from "../../core/feature.ts";

const plain = "plain1.";

/**
 * Serializes job specifications and output for the storage. They contain secrets, and are encrypted if the service has a key for its
 * datastore.
 */
export class JobEncryption {
	readonly #keys: Pick<KeyRing, "encryptText" | "decryptText">;

	constructor(keys: Pick<KeyRing, "encryptText" | "decryptText">) {
		this.#keys = keys;
	}

	close(value: unknown): string {
		const text = stringifyJson(value);
		try {
			return this.#keys.encryptText(text);
		} catch (error) {
			// Without a key, store the text unencrypted, as the service does with the parameters of executions.
			if (!isSvcError(error, "SVC_INVALID")) throw error;
			return plain + text;
		}
	}

	open<T>(sealed: string): T {
		return parseJson(sealed.startsWith(plain) ? sealed.slice(plain.length) : this.#keys.decryptText(sealed)) as T;
	}
}
