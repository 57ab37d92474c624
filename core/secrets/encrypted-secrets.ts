import { type ExecutionEntity, parseJson, type SnapshotEntity, stringifyJson } from "../contract/index.ts";
import type { DatastoreAccess } from "../language/templates/datastore.ts";
import type { KeyRing } from "./encryption/key-ring.ts";
import { findSecrets } from "./parameter-masking.ts";
import { KnownSecrets } from "./redactor.ts";

/** The same access, which tells what it has decrypted. */
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

/** Kept where something is secret that could not be encrypted: whatever it was is not known any more. */
const unknown = "unknown";
/** Characters of sealed texts whose content is remembered: lists show many records that know the same. */
const mostRemembered = 1_000_000;

interface Content {
	readonly values: readonly string[];
	readonly token?: string;
}

/** What records know to be secret, encrypted with the key of the datastore as they keep it (`known_secrets`). */
export class SealedSecrets {
	readonly #keys: Pick<KeyRing, "seal" | "unseal">;
	readonly #opened = new Map<string, KnownSecrets>();
	#remembered = 0;

	constructor(keys: Pick<KeyRing, "seal" | "unseal">) {
		this.#keys = keys;
	}

	/** What a record knows. Everything is masked where it cannot be read, as after its key was removed. */
	open(sealed: string | null | undefined): KnownSecrets {
		if (!sealed) return KnownSecrets.none;
		const known = this.#opened.get(sealed) ?? this.#unseal(sealed);
		// The one used last goes to the end, as those at the beginning are forgotten.
		this.#opened.delete(sealed);
		this.#opened.set(sealed, known);
		return known;
	}

	/** To be kept with a record that knows all of it but the token. */
	of(known: KnownSecrets): string | null {
		if (known.isUnknown) return unknown;
		return known.values.length === 0 ? null : this.#seal({ values: known.values });
	}

	/** To be kept with a record that knows what `sealed` does, and more. */
	add(sealed: string | null, values: readonly string[]): string | null {
		if (values.length === 0) return sealed;
		const before = this.open(sealed);
		const known = before.with(values);
		return known === before ? sealed : this.of(known);
	}

	/** To be kept while a run lasts that another process may go on with. */
	addToken(sealed: string | null, { token }: KnownSecrets): string | null {
		const known = this.open(sealed);
		return token === undefined || known.isUnknown ? sealed : this.#seal({ values: known.values, token });
	}

	/** As `sealed` without the token of the run. */
	withoutToken(sealed: string | null): string | null {
		const known = this.open(sealed);
		return known.token === undefined ? sealed : this.of(known);
	}

	/** What two records know together. */
	join(one: string | null, other: string | null): string | null {
		if (one === null || other === null || one === other) return one ?? other;
		const known = this.open(other);
		return known.isUnknown ? unknown : this.add(one, known.values);
	}

	/** Everything that is secret in what is shown of an execution: what it knows, and what its parameters are by their schemas. */
	ofExecution(
		{ known_secrets, parameters }: Pick<ExecutionEntity, "known_secrets" | "parameters">,
		snapshot: SnapshotEntity,
	): KnownSecrets {
		return this.open(known_secrets).with(findSecrets(parameters, snapshot));
	}

	#seal(content: Content): string {
		try {
			return this.#keys.seal(stringifyJson(content));
		} catch {
			return unknown;
		}
	}

	#unseal(sealed: string): KnownSecrets {
		const known = this.#read(sealed);
		this.#remembered += sealed.length;
		for (const oldest of this.#opened.keys()) {
			if (this.#remembered <= mostRemembered) break;
			this.#opened.delete(oldest);
			this.#remembered -= oldest.length;
		}
		return known;
	}

	#read(sealed: string): KnownSecrets {
		try {
			const { values, token } = parseJson(this.#keys.unseal(sealed)) as unknown as Content;
			return new KnownSecrets(values, token === undefined ? {} : { token });
		} catch {
			return KnownSecrets.unknown;
		}
	}
}
