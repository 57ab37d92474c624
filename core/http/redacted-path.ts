/** Resources whose records can be named by a credential itself. */
const credential = /(\/(?:apikeys|tokens)\/)(?!validate\/?$)[^]*/i;

/** A path as it may be logged: without what stands behind the resources of credentials. */
export function toLoggedPath(pathname: string): string {
	if (!pathname.includes("%")) return pathname.replace(credential, "$1…");
	try {
		// Letters of the resource's name may be encoded.
		const found = credential.exec(decodeURIComponent(pathname));
		return found === null ? pathname : `…${found[1]}…`;
	} catch {
		// What cannot be decoded is routed nowhere.
		return "…";
	}
}
