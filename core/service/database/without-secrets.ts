import { isSvcError, SvcError, toErrorMessage } from "../../contract/index.ts";

/** The error without the password of an address, wherever a driver may have put it. */
export function withoutSecrets(error: unknown, address: string): unknown {
	const secrets = findSecrets(address).filter((secret) => secret !== "");
	const message = toErrorMessage(error);
	if (!secrets.some((secret) => message.includes(secret))) return error;
	const hidden = secrets.reduce((text, secret) => text.replaceAll(secret, "********"), message);
	return new SvcError(isSvcError(error) ? error.code : "SVC_UNAVAILABLE", hidden);
}

function findSecrets(address: string): string[] {
	const [, given = ""] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*?:([^/?#]*)@/i.exec(address) ?? [];
	const [, asked = ""] = /[?&]password=([^&#]*)/i.exec(address) ?? [];
	return [given, asked].flatMap((secret) => [secret, decode(secret)]);
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
