import { type ExecutionEntity, parseJson, type SnapshotEntity, stringifyJson } from "../contract/index.ts";
import type { DatastoreAccess } from "../language/templates/datastore.ts";
import type { KeyRing } from "./encryption/key-ring.ts";
import { findSecrets } from "./parameter-masking.ts";
import { KnownSecrets } from "./redactor.ts";

/** Returns an access that adds every decrypted value to `into`. */
export function noteDecrypted(access: DatastoreAccess, into: string[]): DatastoreAccess {
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

/** Stored in place of secrets that could not be encrypted. Their values are lost, so everything is masked. */
const unknownMarker = "unknown";
/** Maximum characters of encrypted texts in the cache. Lists show many records with equal secrets. */
const maxCachedCharacters = 1_000_000;

/** The data that is encrypted. */
interface SecretContent {
	readonly values: readonly string[];
	readonly token?: string;
}

/** The known secrets of records, encrypted with the key of the datastore (`known_secrets`). */
export class SealedSecrets {
	readonly #keyRing: Pick<KeyRing, "seal" | "unseal">;
	readonly #cache = new Map<string, KnownSecrets>();
	#cachedCharacters = 0;

	constructor(keyRing: Pick<KeyRing, "seal" | "unseal">) {
		this.#keyRing = keyRing;
	}

	/**
	 * Decrypts the secrets of a record. If that is impossible, for example because the key was removed, the result masks everything.
	 */
	open(encrypted: string | null | undefined): KnownSecrets {
		if (!encrypted) return KnownSecrets.none;
		const secrets = this.#cache.get(encrypted) ?? this.#decryptAndEvict(encrypted);
		// Moves the text to the end of the map, whose first entries are evicted first.
		this.#cache.delete(encrypted);
		this.#cache.set(encrypted, secrets);
		return secrets;
	}

	/** Encrypts secrets without the token. Returns null if there are none. */
	of(secrets: KnownSecrets): string | null {
		if (secrets.isUnknown) return unknownMarker;
		return secrets.values.length === 0 ? null : this.#encrypt({ values: secrets.values });
	}

	/** Adds secrets to an encrypted text. Returns the same text if nothing is added. */
	add(encrypted: string | null, values: readonly string[]): string | null {
		if (values.length === 0) return encrypted;
		const current = this.open(encrypted);
		const secrets = current.with(values);
		return secrets === current ? encrypted : this.of(secrets);
	}

	/** Adds the token of a run to an encrypted text. Stored during a run that another process may continue. */
	addToken(encrypted: string | null, { token }: KnownSecrets): string | null {
		const secrets = this.open(encrypted);
		return token === undefined || secrets.isUnknown ? encrypted : this.#encrypt({ values: secrets.values, token });
	}

	/** Removes the token of a run from an encrypted text. */
	withoutToken(encrypted: string | null): string | null {
		const secrets = this.open(encrypted);
		return secrets.token === undefined ? encrypted : this.of(secrets);
	}

	/** Returns the union of two encrypted texts. */
	join(one: string | null, other: string | null): string | null {
		if (one === null || other === null || one === other) return one ?? other;
		const secrets = this.open(other);
		return secrets.isUnknown ? unknownMarker : this.add(one, secrets.values);
	}

	/** Returns all secrets that are masked in an execution: its known secrets, and secret parameters according to their schemas. */
	ofExecution(
		{ known_secrets, parameters }: Pick<ExecutionEntity, "known_secrets" | "parameters">,
		snapshot: SnapshotEntity,
	): KnownSecrets {
		return this.open(known_secrets).with(findSecrets(parameters, snapshot));
	}

	#encrypt(content: SecretContent): string {
		try {
			return this.#keyRing.seal(stringifyJson(content));
		} catch {
			return unknownMarker;
		}
	}

	#decryptAndEvict(encrypted: string): KnownSecrets {
		const secrets = this.#decrypt(encrypted);
		this.#cachedCharacters += encrypted.length;
		for (const oldest of this.#cache.keys()) {
			if (this.#cachedCharacters <= maxCachedCharacters) break;
			this.#cache.delete(oldest);
			this.#cachedCharacters -= oldest.length;
		}
		return secrets;
	}

	#decrypt(encrypted: string): KnownSecrets {
		try {
			const { values, token } = parseJson(this.#keyRing.unseal(encrypted)) as unknown as SecretContent;
			return new KnownSecrets(values, token === undefined ? {} : { token });
		} catch {
			return KnownSecrets.unknown;
		}
	}
}
