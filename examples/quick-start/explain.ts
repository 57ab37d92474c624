/** Returns the error message together with a remedy. */
export function explain(error: unknown, directory: string): string {
	const messages = chain(error);
	const text = `The quick start failed: ${messages.join(": ")}`;
	if (/EADDRINUSE|in use|available port/.test(text)) {
		return `${text}\nAnother program, perhaps an earlier quick start, uses a port. Stop it, or choose other ports:\n  SVC_AUTH_PORT=9200 SVC_API_PORT=9201 SVC_STREAM_PORT=9202 npm run quickstart`;
	}
	if (/Unauthorized|credentials/i.test(text))
		return `${text}\nThe data in ${directory} has another password. Remove that folder to begin anew.`;
	if (/EACCES|EROFS|ENOSPC/.test(text)) return `${text}\nThe quick start writes to ${directory}; SVC_DATA_DIR names another place.`;
	return text;
}

function chain(error: unknown): string[] {
	const messages: string[] = [];
	for (let each = error; each !== undefined && messages.length < 5; each = each instanceof Error ? each.cause : undefined) {
		const message = each instanceof Error ? each.message : String(each);
		if (!messages.some((said) => said.includes(message))) messages.push(message);
	}
	return messages;
}
