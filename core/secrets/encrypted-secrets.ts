import type { DatastoreAccess } from "../language/templates/datastore.ts";

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
