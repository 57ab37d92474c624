import type { UserAdmin, UserOperations } from "../cli/context.ts";
import { type AuthBackend, SvcError } from "../contract/index.ts";
import { isReservedName } from "../kernel/basics/names.ts";
import { createContext, readConfig } from "./database/open-storage.ts";

/**
 * Returns a function that manages the users stored by the auth backend of a configuration, without running the service. A running service
 * sees the changes at the next sign-in.
 */
export function createAuthBackendUsers(env: Readonly<Record<string, string | undefined>>): UserOperations {
	return async ({ config: file }, use) => {
		const config = await readConfig({ config: file, env });
		const plugin = config.authBackend;
		if (plugin === undefined) throw new SvcError("SVC_CONFIG", "auth.backend: not configured, so no users are stored");
		const backend = plugin.create();
		try {
			await backend.start?.(createContext(config));
			return await use(toKept(backend, { name: plugin.name, systemUser: config.options.system_user.user }));
		} finally {
			await backend.stop?.();
		}
	};
}

function toKept(backend: AuthBackend, { name, systemUser }: { readonly name: string; readonly systemUser: string }): UserAdmin {
	const { listUsers, setPassword, removeUser } = backend;
	if (listUsers === undefined || setPassword === undefined || removeUser === undefined) {
		throw new SvcError("SVC_CONFIG", `auth.backend: "${name}" does not store users; manage them in its directory or provider`);
	}
	return {
		listUsers: () => listUsers.call(backend),
		removeUser: (username) => removeUser.call(backend, username),
		async setPassword(credentials, options) {
			if (isReservedName(credentials.username, systemUser)) {
				throw new SvcError("SVC_INVALID", `user "${credentials.username}" could not sign in: the name is reserved for the service`);
			}
			await setPassword.call(backend, credentials, options);
		},
	};
}
