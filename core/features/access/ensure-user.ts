import { type Identity, isSvcError, type Storage, SvcError, type UserEntity } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId } from "../../kernel/basics/ids.ts";
import { assertVisibleName } from "../../kernel/basics/names.ts";

type UserDependencies = Uses<"storage" | "clock" | "logger">;

type Owner = Pick<Identity, "username" | "subject" | "takesOver">;

/**
 * Creates the record of a user who signs in for the first time. Throws `SVC_INVALID` for a name that could be displayed as another one,
 * and `SVC_UNAUTHORIZED` for a name that belongs to another subject.
 */
export async function ensureUser(owner: Owner, parts: UserDependencies): Promise<void> {
	const { username: name, subject = null } = owner;
	const { storage, clock, logger } = parts;
	const known = await findUser(name, storage);
	if (known !== undefined) return ensureOwner(known, owner, parts);
	assertVisibleName("user", name);
	const created_at = toTimestamp(clock.now());
	try {
		await storage.insert("user", [{ id: createId(clock), name, is_service: false, created_at, nicknames: {}, subject }]);
		logger.info("user registered", { user: name });
	} catch (error) {
		if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		// A concurrent sign-in inserted the record, possibly for another subject.
		const made = await findUser(name, storage);
		if (made !== undefined) await ensureOwner(made, owner, parts);
	}
}

/**
 * Throws `SVC_UNAUTHORIZED` if the name belongs to another subject. A backend that reports no subject assigns the names itself, so its
 * names are accepted. With `takesOver`, a user without a subject is assigned to this one.
 */
async function ensureOwner(
	{ id, name, subject: owning }: UserEntity,
	{ subject, takesOver = false }: Owner,
	{ storage, logger }: UserDependencies,
): Promise<void> {
	if (subject === undefined || subject === owning) return;
	if (owning === null && takesOver && (await storage.update("user", id, { subject }, { subject: null })) !== undefined) {
		logger.info("user taken over", { user: name });
		return;
	}
	logger.warn("token refused: the user name belongs to another identity", { user: name, is_of_this_backend: owning !== null });
	throw new SvcError("SVC_UNAUTHORIZED", "Unauthorized - the user name belongs to another identity");
}

async function findUser(name: string, storage: Storage): Promise<UserEntity | undefined> {
	const [user] = await storage.find("user", { where: { name }, limit: 1 });
	return user;
}
