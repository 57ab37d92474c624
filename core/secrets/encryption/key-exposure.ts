import type { Stats } from "node:fs";

/**
 * What is wrong with who may read the key file, seen by the user the service runs as; undefined where nobody else may. A file of root that is lent
 * to the service by its group, as Kubernetes mounts secrets, may be read by that group, as the service could not read it otherwise.
 */
export function findKeyExposure(path: string, { mode, uid }: Pick<Stats, "mode" | "uid">, self: number): string | undefined {
	const isLent = uid === 0 && self !== 0;
	if ((mode & (isLent ? 0o037 : 0o077)) === 0) return undefined;
	const [who, command] = isLent ? ["others than its group", "chmod 440"] : ["other users", "chmod 600"];
	return `key file "${path}" can be read by ${who} (mode ${(mode & 0o777).toString(8)}); ${command} it`;
}
