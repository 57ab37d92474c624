import { type ActionSnapshotEntity, type ExecutionEntity, parseJson, stringifyJson } from "../contract/index.ts";
import type { DatastoreAccess } from "../language/templates/datastore.ts";
import type { KeyRing } from "./encryption/key-ring.ts";
import { findParameterSecrets } from "./parameter-masking.ts";
import { Redactor } from "./redactor.ts";

/** Returns a datastore access that also adds every decrypted value to `into`. */
export function collectDecrypted(access: DatastoreAccess, into: string[]): DatastoreAccess {
	return {
		names: access.names,
		lookup: (scope, name) => access.lookup(scope, name),
		async decrypt(cipherText) {
			const clear = await access.decrypt(cipherText);
			into.push(clear);
			return clear;
		},
	};
}

/** Stored instead of secrets that could not be encrypted. Their values are lost, so everything is masked. */
const unknownMarker = "unknown";
/** Maximum characters of ciphertexts in the cache. Lists show many records with equal secrets. */
const maxCachedCharacters = 1_000_000;

/** The data that is encrypted. */
interface SecretContent {
	readonly values: readonly string[];
	readonly token?: string;
}

/** The known secrets of records, encrypted with the key of the datastore (`known_secrets`). */
export class EncryptedSecrets {
	readonly #keyRing: Pick<KeyRing, "encryptText" | "decryptText">;
	readonly #cache = new Map<string, Redactor>();
	#cachedCharacters = 0;

	constructor(keyRing: Pick<KeyRing, "encryptText" | "decryptText">) {
		this.#keyRing = keyRing;
	}

	/**
	 * Decrypts the secrets of a record. If that is impossible, for example because the key was removed, the result masks everything.
	 */
	decrypt(encrypted: string | null | undefined): Redactor {
		if (!encrypted) return Redactor.none;
		const secrets = this.#cache.get(encrypted) ?? this.#decryptAndEvict(encrypted);
		// Moves the ciphertext to the end of the map. The first entries are evicted first.
		this.#cache.delete(encrypted);
		this.#cache.set(encrypted, secrets);
		return secrets;
	}

	/** Encrypts secrets without the token. Returns null if there are none. */
	encrypt(secrets: Redactor): string | null {
		if (secrets.isUnknown) return unknownMarker;
		return secrets.values.length === 0 ? null : this.#encrypt({ values: secrets.values });
	}

	/** Adds secrets to a ciphertext. Returns the same ciphertext if nothing is added. */
	addValues(encrypted: string | null, values: readonly string[]): string | null {
		if (values.length === 0) return encrypted;
		const current = this.decrypt(encrypted);
		const secrets = current.withValues(values);
		return secrets === current ? encrypted : this.encrypt(secrets);
	}

	/** Adds the token of a run to a ciphertext. The result is stored during a run that another process may continue. */
	addToken(encrypted: string | null, { token }: Redactor): string | null {
		const secrets = this.decrypt(encrypted);
		return token === undefined || secrets.isUnknown ? encrypted : this.#encrypt({ values: secrets.values, token });
	}

	/** Removes the token of a run from a ciphertext. */
	withoutToken(encrypted: string | null): string | null {
		const secrets = this.decrypt(encrypted);
		return secrets.token === undefined ? encrypted : this.encrypt(secrets);
	}

	/** Returns a ciphertext with the secrets of both. */
	union(one: string | null, other: string | null): string | null {
		if (one === null || other === null || one === other) return one ?? other;
		const secrets = this.decrypt(other);
		return secrets.isUnknown ? unknownMarker : this.addValues(one, secrets.values);
	}

	/** Returns all secrets that are masked in an execution: its known secrets, and secret parameters according to their schemas. */
	decryptForExecution(
		{ known_secrets, parameters }: Pick<ExecutionEntity, "known_secrets" | "parameters">,
		snapshot: ActionSnapshotEntity,
	): Redactor {
		return this.decrypt(known_secrets).withValues(findParameterSecrets(parameters, snapshot));
	}

	#encrypt(content: SecretContent): string {
		try {
			return this.#keyRing.encryptText(stringifyJson(content));
		} catch {
			return unknownMarker;
		}
	}

	#decryptAndEvict(encrypted: string): Redactor {
		const secrets = this.#decrypt(encrypted);
		this.#cachedCharacters += encrypted.length;
		for (const oldest of this.#cache.keys()) {
			if (this.#cachedCharacters <= maxCachedCharacters) break;
			this.#cache.delete(oldest);
			this.#cachedCharacters -= oldest.length;
		}
		return secrets;
	}

	#decrypt(encrypted: string): Redactor {
		try {
			const { values, token } = parseJson(this.#keyRing.decryptText(encrypted)) as unknown as SecretContent;
			return new Redactor(values, token === undefined ? {} : { token });
		} catch {
			return Redactor.unknown;
		}
	}
}
