import { type Clock, isSvcError, type Logger, type Storage } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import { createId } from "../../kernel/basics/ids.ts";
import { assertSeen } from "../../kernel/basics/names.ts";

/** Make the record of a user who signs in for the first time. `SVC_INVALID` for a name that would show as another one. */
export async function ensureUser(
	name: string,
	{ storage, clock, logger }: { readonly storage: Storage; readonly clock: Clock; readonly logger: Logger },
): Promise<void> {
	if ((await storage.count("user", { name })) > 0) return;
	assertSeen("user", name);
	try {
		await storage.insert("user", [{ id: createId(clock), name, is_service: false, created_at: toTimestamp(clock.now()), nicknames: {} }]);
		logger.info("user registered", { user: name });
	} catch (error) {
		// Two sign-ins at once: the other one has made it.
		if (!isSvcError(error, "SVC_CONFLICT")) throw error;
	}
}
