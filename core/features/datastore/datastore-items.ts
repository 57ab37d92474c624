import { type KeyValueEntity, type Storage, SvcError, toErrorMessage, type Where } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { assertVisibleName } from "../../kernel/basics/names.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Resource } from "../../kernel/basics/refs.ts";
import { SingletonTask, type SingletonTaskDependencies } from "../../kernel/coordination/singleton-task.ts";
import { createBackgroundThrottle } from "../../kernel/expiry/background-throttle.ts";
import { removeExpired, startRemovalPass } from "../../kernel/expiry/removal.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { TemplateRights } from "../../kernel/submission/parameter-rendering.ts";
import type { DatastoreAccess } from "../../language/templates/datastore.ts";
import type { Access } from "../access/access-exports.ts";
import {
	type ItemAddress,
	type ItemScope,
	type ItemWhere,
	parseScope,
	toAddress,
	toItemResource,
	toOwner,
	toVisibleName,
} from "./item-address.ts";
import { assertMayImport, toItemContent, toValueText } from "./item-content.ts";
import { type ShownItem, toMaskedItem, toPresentedItem } from "./item-presentation.ts";
import { ItemStore, type ItemStoreDependencies } from "./item-store.ts";
import type { DatastoreItems, ItemInput, ItemListQuery, ValueForm } from "./items-exports.ts";
import { type RotationReport, rotateKeys } from "./key-rotation.ts";
import { TemplateAccess, type TemplateAccessDependencies } from "./template-access.ts";
import { UserQuota } from "./user-quota.ts";

export interface DatastoreDependencies
	extends Omit<ItemStoreDependencies, "quota">,
		Uses<"options" | "authority" | "dialects" | "clock">,
		Pick<Kernel, "leasing" | "keys" | "keyFile"> {
	readonly access: Access;
}

type ItemQuery = Parameters<DatastoreItems["get"]>[1];

export class StoredItems implements DatastoreItems {
	readonly #parts: DatastoreDependencies;
	readonly #store: ItemStore;
	readonly #templateParts: TemplateAccessDependencies;
	readonly #sweep: SingletonTask;
	readonly #stopping = new AbortController();
	#rotating: Promise<RotationReport> | undefined;

	constructor(parts: DatastoreDependencies) {
		this.#parts = parts;
		const quota = new UserQuota({ storage: parts.storage, limits: parts.options.keyvalue });
		this.#store = new ItemStore({ ...parts, quota });
		this.#templateParts = { ...parts, store: this.#store };
		this.#sweep = createSweep(parts);
	}

	resource(name: string, where: ItemWhere, principal: Principal): Resource {
		return toItemResource(this.#addressOf(name, where, principal));
	}

	async list(query: ItemListQuery, principal: Principal): Promise<readonly ShownItem[]> {
		const { access } = this.#parts;
		const { form = "masked" } = query;
		const owner = toOwner(query, principal, access);
		if (form === "decrypted" && owner === null) assertMayDecrypt(principal);
		const isAll = owner === null && parseScope(query.scope) === "all";
		const halves = isAll ? [null, toOwner({ scope: "user" }, principal, access)] : [owner];
		const items: KeyValueEntity[] = [];
		for (const user of halves) items.push(...(await this.#listHalf(user, query, principal)));
		return items.map((item) => this.#show(item, form, principal));
	}

	async get(name: string, { form = "masked", ...where }: ItemQuery, principal: Principal): Promise<ShownItem> {
		const address = this.#addressOf(name, where, principal);
		if (form === "decrypted" && address.user === null) assertMayDecrypt(principal);
		const item = await this.#store.find(address);
		if (item === undefined) throw notFound(address);
		return this.#show(item, form, principal);
	}

	async set(name: string, input: ItemInput, principal: Principal): Promise<ShownItem> {
		assertVisibleName("name", name);
		const address = this.#addressOf(name, input, principal);
		const value = toValueText(input.value);
		if (input.encrypted === true) await assertMayImport(value, principal, this.#parts);
		const item = await this.#store.set(address, (before) => toItemContent({ ...input, value }, { address, before }, this.#parts));
		this.#parts.logger.info("datastore item set", { user: principal.username, key: item.name, scope: item.scope });
		return toMaskedItem(item);
	}

	async remove(name: string, where: ItemWhere, principal: Principal): Promise<void> {
		const address = this.#addressOf(name, where, principal);
		if (!(await this.#store.remove(address))) throw notFound(address);
		this.#parts.logger.info("datastore item deleted", { user: principal.username, key: address.name, scope: address.scope });
	}

	async rotate(rotation: { readonly forget?: boolean }, principal: Principal): Promise<RotationReport> {
		if (!principal.isAdmin) throw new SvcError("SVC_FORBIDDEN", "only administrators may rotate the encryption key");
		this.#parts.logger.info("rotation of the encryption key requested", { user: principal.username });
		const parts = { ...this.#parts, store: this.#store, signal: this.#stopping.signal };
		this.#rotating ??= rotateKeys(parts, rotation).finally(() => {
			this.#rotating = undefined;
		});
		return this.#rotating;
	}

	accessFor(username: string, rights: TemplateRights = {}): DatastoreAccess {
		return new TemplateAccess(this.#templateParts, { username, ...toRights(rights) });
	}

	accessForGiven(username: string, rights: TemplateRights): DatastoreAccess {
		return new TemplateAccess(this.#templateParts, { username, ...toRights(rights), isGiven: true });
	}

	clearAccessFor(username: string, purpose: string, rights: TemplateRights = {}): DatastoreAccess {
		return new TemplateAccess(this.#templateParts, { username, ...toRights(rights), purpose, isGiven: true });
	}

	async start(): Promise<void> {
		const { options, keys, logger } = this.#parts;
		// A missing key file is created only if no secrets exist. Existing secrets need the missing key, not a new one.
		if (options.keyvalue.enable_encryption && keys.currentId === undefined) await this.#createFirstKey();
		const problem = keys.findProblem();
		if (problem !== undefined) logger.warn("secrets of the datastore", { problem });
		this.#sweep.start();
	}

	async stop(): Promise<void> {
		this.#stopping.abort(new SvcError("SVC_UNAVAILABLE", "the service is stopping; the next rotation will finish this one"));
		await this.#rotating?.catch(() => undefined);
		await this.#sweep.stop();
	}

	#addressOf(name: string, where: ItemWhere, principal: Principal): ItemAddress {
		return toAddress(name, where, principal, this.#parts.access);
	}

	/** Returns the system items that the principal may view, or the items of a user that `toOwner` has permitted. */
	#listHalf(user: string | null, query: ItemListQuery, principal: Principal): Promise<readonly KeyValueEntity[]> {
		const { storage, access } = this.#parts;
		const isAllowed = (item: KeyValueEntity) => user !== null || access.allows(principal, "key_value_pair_view", toItemResource(item));
		const scope = user === null ? "svckv.system" : "svckv.user";
		return listItems(storage, { scope, user, query, isShown: (item) => this.#store.isLive(item) && isAllowed(item) });
	}

	#show(item: KeyValueEntity, form: ValueForm, { username }: Principal): ShownItem {
		if (!item.secret || form === "masked") return toMaskedItem(item);
		if (form === "stored") return toPresentedItem(item, item.value);
		const value = this.#parts.keys.decrypt(item.value, item);
		this.#parts.logger.info("datastore item decrypted", { user: username, key: item.name, scope: item.scope });
		return toPresentedItem(item, value, true);
	}

	async #createFirstKey(): Promise<void> {
		const { storage, keys, logger } = this.#parts;
		if ((await storage.count("key_value", { secret: true })) > 0) return;
		try {
			keys.createKeyFile();
		} catch (error) {
			logger.warn("creating the key file of the datastore failed", { error: toErrorMessage(error) });
		}
	}
}

function assertMayDecrypt({ username, isAdmin }: Principal): void {
	if (!isAdmin)
		throw new SvcError(
			"SVC_FORBIDDEN",
			`decrypt: items of the scope system require administrator access, which "${username}" does not have`,
		);
}

function notFound(address: ItemAddress): SvcError {
	const { scope, user } = address;
	const owner = user === null ? "" : ` of user "${user}"`;
	return new SvcError("SVC_NOT_FOUND", `datastore item "${toVisibleName(address)}"${owner} in scope ${scope} cannot be found`);
}

/** Returns only author and scopes, because callers pass whole executions. */
function toRights({ author, scopes }: TemplateRights): TemplateRights {
	return { author, scopes };
}

/** Maximum number of items that one query reads. */
const batch = 500;

interface Half {
	readonly scope: ItemScope;
	/** Owner of the items in user scope; null for system items. */
	readonly user: ItemAddress["user"];
	readonly query: ItemListQuery;
	/** Returns true if an item has not expired and the caller may view it. */
	readonly isShown: (item: KeyValueEntity) => boolean;
}

/** Returns items of one scope. Limit and offset count only items that the caller may view. */
async function listItems(storage: Storage, { scope, user, query, isShown }: Half): Promise<readonly KeyValueEntity[]> {
	const { limit = Number.POSITIVE_INFINITY, orderBy = [] } = query;
	const where = toWhere(scope, user, query);
	const shown: KeyValueEntity[] = [];
	let skipped = 0;
	for (let offset = 0; shown.length < limit; offset += batch) {
		const read = await storage.find("key_value", { where, orderBy: [...orderBy, ["id", "asc"]], limit: batch, offset });
		for (const item of read) {
			if (!isShown(item) || shown.length >= limit) continue;
			if (skipped < (query.offset ?? 0)) skipped += 1;
			else shown.push(item);
		}
		if (read.length < batch) break;
	}
	return shown;
}

function toWhere(scope: ItemScope, user: string | null, { prefix, names, ids }: ItemListQuery): Where<KeyValueEntity> {
	const toStored = (name: string) => (user === null ? name : `${user}:${name}`);
	return {
		scope,
		...(user !== null && { user }),
		...(names !== undefined ? { name: { in: names.map(toStored) } } : prefix && { name: { prefix: toStored(prefix) } }),
		...(ids !== undefined && { id: { in: ids } }),
	};
}

/** Seconds between runs of the sweep. */
const interval = 60;

/** Creates the singleton task that deletes expired items every minute. An expired item counts as absent even before it is deleted. */
function createSweep(parts: SingletonTaskDependencies): SingletonTask {
	const { storage, clock } = parts;
	return new SingletonTask(parts, {
		name: "datastore_sweep",
		intervalSeconds: interval,
		async work(signal) {
			const now = toTimestamp(clock.now());
			const removal = startRemovalPass({ storage, pace: createBackgroundThrottle(signal), now });
			await removeExpired(removal, { kind: "key_value", timeField: "expire_timestamp", before: now });
		},
	});
}
