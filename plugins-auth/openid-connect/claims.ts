import type { Identity, Logger } from "../../core/contract/index.ts";
import type { Settings } from "./settings.ts";

/** Claims of the provider about a user, by name. */
export type Claims = Readonly<Record<string, unknown>>;

/** Claims about one user, from the ID token and from the userinfo endpoint. */
export interface VerifiedClaims {
	readonly issuer: string;
	readonly subject: string;
	readonly token: Claims;
	readonly userinfo: Claims;
}

const maxNameLength = 256;
const maxIdentifierLength = 1_000;
const maxGroups = 1_000;

/** Returns the identity of the user, or undefined if the user may not sign in. The log contains the reason. */
export function toIdentityOf(vouched: VerifiedClaims, settings: Settings, logger: Logger): Identity | undefined {
	const refuse = (reason: string, fields: Readonly<Record<string, unknown>> = {}) => {
		logger.warn("sign-in refused", { reason, subject: vouched.subject, ...fields });
		return undefined;
	};
	for (const [claim, allowed] of settings.requiredClaims) {
		const values = toTexts(findClaim(vouched, claim));
		if (!allowed.some((value) => values.includes(value))) return refuse("a claim does not match required_claims", { claim });
	}
	if (settings.requiresVerifiedEmail && !isEmailVerified(vouched)) return refuse("the provider has not verified the email address");
	const name = findClaim(vouched, settings.usernameClaim);
	if (typeof name !== "string" || !isName(name))
		return refuse("the claim for the user name is missing or not allowed", { claim: settings.usernameClaim });
	const session = readClaim(vouched.token, "sid");
	return {
		username: `${settings.usernamePrefix}${name}`,
		subject: toUnique(vouched.issuer, vouched.subject),
		...(isIdentifier(session) && { session: toUnique(vouched.issuer, session) }),
		takesOver: settings.linksExistingUsers,
		...(settings.groupsClaim !== undefined && { groups: toTexts(findClaim(vouched, settings.groupsClaim)).slice(0, maxGroups) }),
	};
}

/** Makes an identifier of a provider, such as a subject, unique among all providers. */
export function toUnique(issuer: string, name: string): string {
	return `${issuer} ${name}`;
}

/** Returns true if a claim is a usable identifier: not empty and not too long. */
export function isIdentifier(value: unknown): value is string {
	return typeof value === "string" && value !== "" && value.length <= maxIdentifierLength;
}

/** Returns true if the token lacks a configured claim, so that the userinfo endpoint must be requested. */
export function needsUserinfo(token: Claims, settings: Settings): boolean {
	const { usernameClaim, groupsClaim, requiredClaims, requiresVerifiedEmail } = settings;
	const names = [usernameClaim, ...(groupsClaim === undefined ? [] : [groupsClaim]), ...requiredClaims.keys()];
	const wanted = requiresVerifiedEmail ? [...names, "email_verified"] : names;
	return wanted.some((name) => readClaim(token, name) === undefined);
}

/** Returns a claim; the ID token takes precedence. */
function findClaim({ token, userinfo }: VerifiedClaims, name: string): unknown {
	return readClaim(token, name) ?? readClaim(userinfo, name);
}

/**
 * Returns a claim by its full name, otherwise by its path: `a.b` is `b` in the object `a`. The full name is first because a claim name may
 * be a URL, which contains dots.
 */
function readClaim(claims: Claims, name: string): unknown {
	if (Object.hasOwn(claims, name)) return claims[name] ?? undefined;
	let value: unknown = claims;
	for (const part of name.split(".")) {
		if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
		value = (value as Claims)[part];
	}
	return value ?? undefined;
}

/**
 * Returns true if the email address is verified. Both claims must come from the same source; otherwise `email_verified` could refer to
 * another address.
 */
function isEmailVerified({ token, userinfo }: VerifiedClaims): boolean {
	const place = token["email"] === undefined ? userinfo : token;
	const verified =
		place["email_verified"] ?? (place === token && userinfo["email"] === token["email"] ? userinfo["email_verified"] : undefined);
	return typeof place["email"] === "string" && verified === true;
}

function toTexts(value: unknown): readonly string[] {
	const values = Array.isArray(value) ? value : [value];
	return values.filter((each): each is string => typeof each === "string" && each !== "");
}

function isName(name: string): boolean {
	return name !== "" && name === name.trim() && Buffer.byteLength(name) <= maxNameLength && !/\p{Cc}/u.test(name);
}
