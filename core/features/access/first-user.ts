import { type AuthBackend, isSvcError, SvcError } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { FirstUser } from "./access-exports.ts";
import { findFirstUserProblem, firstUsername as username } from "./first-user-checks-exports.ts";
import { createRandomSecret } from "./random-secret.ts";

export interface FirstUserDependencies extends Uses<"logger"> {
	readonly backend: AuthBackend;
	/** Password of the administrator. If undefined or empty, a random one is generated. */
	readonly adminPassword: string | undefined;
	/** Name of the system user. It must not be the administrator's, because sign-ins as the system user are refused. */
	readonly systemUser: string;
	/** Warning that the administrator lacks a role; undefined if the administrator has one or needs none. */
	readonly warning: string | undefined;
}

/**
 * Creates the user `admin` if the backend has no user yet. Returns undefined if it has users, cannot add one, or another node created the
 * user. A generated password is returned so that it can be shown once; it is never logged.
 */
export async function ensureFirstUser({
	backend,
	adminPassword,
	logger,
	systemUser,
	warning,
}: FirstUserDependencies): Promise<FirstUser | undefined> {
	if (backend.addUser === undefined || !(await backend.isEmpty?.())) return undefined;
	const problem = findFirstUserProblem(systemUser);
	if (problem !== undefined) throw new SvcError("SVC_CONFIG", problem);
	const generated = adminPassword ? undefined : createRandomSecret(18);
	try {
		await backend.addUser({ username, password: generated ?? adminPassword ?? "" });
	} catch (error) {
		// Another node that starts at the same time has created the user.
		if (isSvcError(error, "SVC_CONFLICT")) return undefined;
		if (!isSvcError(error, "SVC_INVALID")) throw error;
		throw new SvcError("SVC_CONFIG", `SVC_ADMIN_PASSWORD: ${error.message}`, { cause: error });
	}
	logger.info("first administrator created", { user: username });
	if (warning !== undefined) logger.warn("configuration", { warning });
	return { username, ...(generated !== undefined && { password: generated }), ...(warning !== undefined && { warning }) };
}
