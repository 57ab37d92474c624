/** Longer names are given by those who want to fill the record. */
const longestName = 128;

/** Who wants to sign in, as the request says it; empty where it does not. */
export function claimedUser(headers: Headers): string {
	const [, basic = ""] = /^basic +([A-Za-z0-9+/]{1,1024}={0,2})$/i.exec(headers.get("authorization") ?? "") ?? [];
	const [name = ""] = Buffer.from(basic, "base64").toString("utf8").split(":", 1);
	return name.slice(0, longestName);
}
