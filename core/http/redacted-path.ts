/** Paths of API keys and tokens, in which the credential itself may identify the record. */
const credentialPath = /(\/(?:apikeys|tokens)\/)(?!validate\/?$)[^]*/i;

/**
 * Returns a path for the log, with everything after a resource of credentials replaced by `…`. In an encoded path, the part before
 * it is replaced as well.
 */
export function toLoggedPath(pathname: string): string {
	if (!pathname.includes("%")) return pathname.replace(credentialPath, "$1…");
	try {
		// Letters of the resource's name may be percent-encoded.
		const match = credentialPath.exec(decodeURIComponent(pathname));
		return match === null ? pathname : `…${match[1]}…`;
	} catch {
		// A path that cannot be decoded matches no route. It is not logged, because it cannot be searched for credentials.
		return "…";
	}
}
