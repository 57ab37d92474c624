import {
	type EntityKind,
	type EntityMap,
	entityKinds,
	type Order,
	type Patch,
	type PluginContext,
	type Query,
	type Storage,
	type StorageCapabilities,
	type StorageInspection,
	SvcError,
	type Where,
	type WriteOperation,
} from "../../core/contract/index.ts";
import { assertScalarField, bindingsOf, type Conditions, toComparisons } from "./conditions.ts";
import type { Database, DatabaseClient, Write } from "./database-client.ts";
import { executionsAndCatalog } from "./migrations/0001-executions-and-catalog.ts";
import { toCount, toFields, toOrdering, toSelect } from "./reads.ts";
import { Statements } from "./statements.ts";
import { type Binding, type Field, fieldsOf, toEntity, toIdBinding, toValue } from "./values.ts";
import { toClaim, toCompound, toInsert, toRemove, toUpdate } from "./writes.ts";

type Row = readonly Binding[];

interface OpenDatabase {
	readonly client: DatabaseClient;
	readonly statements: Statements;
}

/** Storage that translates the methods of the contract into SQL statements. The database client decides how they run. */
export class KnexStorage implements Storage {
	readonly capabilities: StorageCapabilities;
	readonly #database: Database;
	/** Kinds of which entities were removed, so that `compact` can free their space. */
	readonly #kindsToCompact = new Set<EntityKind>();
	#openDatabase: OpenDatabase | undefined;

	constructor(database: Database) {
		this.#database = database;
		this.capabilities = database.capabilities;
	}

	plan(context: PluginContext): Promise<readonly string[]> {
		return this.#database.plan(context);
	}

	async inspect(context: PluginContext): Promise<StorageInspection> {
		const place = this.#database.location(context);
		const inUse = await this.#database.isInUse?.(context);
		const usage = inUse === undefined ? {} : { in_use: inUse };
		const changes = await this.#database.plan(context);
		if (changes.length > 0) return { place, state: changes.includes(executionsAndCatalog.name) ? "new" : "older", changes, ...usage };
		const client = await this.#database.openReadOnly(context);
		this.#openDatabase = { client, statements: new Statements(client) };
		return { place, state: "ready", changes, ...usage };
	}

	backup(context: PluginContext, file: string): Promise<void> {
		return this.#database.backup(context, file);
	}

	restore(context: PluginContext, file: string): Promise<string | undefined> {
		return this.#database.restore(context, file);
	}

	check(context: PluginContext): Promise<void> {
		return this.#database.check(context);
	}

	async start(context: PluginContext): Promise<void> {
		const client = await this.#database.open(context);
		this.#openDatabase = { client, statements: new Statements(client) };
	}

	async stop(): Promise<void> {
		const openDatabase = this.#openDatabase;
		this.#openDatabase = undefined;
		await openDatabase?.client.stop();
	}

	async insert<K extends EntityKind>(kind: K, entities: readonly EntityMap[K][]): Promise<void> {
		const { client, statements } = this.#requireOpen();
		if (entities.length > 0) await this.#write(client, toInsert(statements, kind, entities));
	}

	async get<K extends EntityKind>(kind: K, id: string): Promise<EntityMap[K] | undefined> {
		const { client, statements } = this.#requireOpen();
		const { rows } = await client.read({ statement: statements.get(kind), bindings: [toIdBinding(id)] });
		const [row] = await this.#loadLargeTexts(client, kind, { rows, fields: fieldsOf(kind) });
		return row && toEntity(row, fieldsOf(kind));
	}

	async find<K extends EntityKind>(kind: K, query: Query<EntityMap[K]>): Promise<EntityMap[K][]> {
		const { client, statements } = this.#requireOpen();
		const fields = toFields(kind, query.fields);
		const { rows } = await client.read(toSelect(statements, { kind, query, fields }));
		return (await this.#loadLargeTexts(client, kind, { rows, fields })).map((row) => toEntity(row, fields));
	}

	async count<K extends EntityKind>(kind: K, where: Where<EntityMap[K]>, limit?: number): Promise<number> {
		const { client, statements } = this.#requireOpen();
		const { rows } = await client.read(toCount(statements, { kind, where: where as Conditions, limit }));
		return Math.min(limit ?? Number.POSITIVE_INFINITY, Number(rows[0]?.[0]));
	}

	async distinct<K extends EntityKind, F extends keyof EntityMap[K] & string>(
		kind: K,
		field: F,
		where: Where<EntityMap[K]> = {},
	): Promise<NonNullable<EntityMap[K][F]>[]> {
		const { client, statements } = this.#requireOpen();
		assertScalarField(kind, field);
		const comparisons = toComparisons(kind, where as Conditions);
		const bindings = bindingsOf(comparisons, client.dialect);
		const { rows } = await client.read({ statement: statements.distinct(kind, field, comparisons), bindings });
		const type = fieldsOf(kind).find(([name]) => name === field)?.[1] ?? "text";
		return rows.map(([value]) => toValue(type, value ?? null)) as NonNullable<EntityMap[K][F]>[];
	}

	async update<K extends EntityKind>(
		kind: K,
		id: string,
		patch: Patch<EntityMap[K]>,
		expected: Where<EntityMap[K]> = {},
	): Promise<EntityMap[K] | undefined> {
		const { client, statements } = this.#requireOpen();
		const row = await client.write(toUpdate(statements, { kind, id, patch, expected: expected as Conditions }));
		const [loaded] = await this.#loadLargeTexts(client, kind, { rows: row ? [row] : [], fields: fieldsOf(kind) });
		return loaded && toEntity(loaded, fieldsOf(kind));
	}

	async claim<K extends EntityKind>(
		kind: K,
		query: { readonly where: Where<EntityMap[K]>; readonly orderBy?: readonly Order<EntityMap[K]>[]; readonly limit: number },
		patch: Patch<EntityMap[K]>,
	): Promise<EntityMap[K][]> {
		const { client, statements } = this.#requireOpen();
		const input = { kind, where: query.where as Conditions, orderBy: toOrdering(kind, query.orderBy), limit: query.limit, patch };
		return await client.write(toClaim<K>(statements, input));
	}

	async remove<K extends EntityKind>(kind: K, query: { readonly where: Where<EntityMap[K]>; readonly limit?: number }): Promise<number> {
		const { client, statements } = this.#requireOpen();
		const removed = await client.write(toRemove(statements, kind, query.where as Conditions, query.limit));
		if (removed > 0) this.#kindsToCompact.add(kind);
		return removed;
	}

	async write(operations: readonly WriteOperation[]): Promise<void> {
		const { client, statements } = this.#requireOpen();
		if (operations.length > 0) await this.#write(client, toCompound(statements, operations));
		for (const operation of operations) if ("remove" in operation) this.#kindsToCompact.add(operation.remove);
	}

	/** Returns microseconds since 1970, by the clock of the database server. For a database in a file, uses the clock of this machine. */
	async now(): Promise<number> {
		const { client } = this.#requireOpen();
		const { timeQuery } = client.dialect;
		if (timeQuery === undefined) return Date.now() * 1_000;
		const { rows } = await client.read({ statement: { sql: timeQuery, resultKind: "row" }, bindings: [] });
		return Number(rows[0]?.[0]);
	}

	async compact(): Promise<boolean> {
		return await this.#requireOpen().client.compact(this.#kindsToCompact);
	}

	/** Runs a write. Writes its large texts to their files first, so that no committed row refers to a missing text. */
	async #write(client: DatabaseClient, write: Write<void>): Promise<void> {
		const flushed = client.largeTexts?.flush();
		if (flushed !== undefined) await flushed;
		await client.write(write);
	}

	/** Replaces the references to large texts in rows by the texts. */
	async #loadLargeTexts(
		{ largeTexts }: DatabaseClient,
		kind: EntityKind,
		{ rows, fields }: { readonly rows: readonly Row[]; readonly fields: readonly Field[] },
	): Promise<readonly Row[]> {
		const { bulky } = entityKinds[kind];
		if (bulky === undefined || largeTexts === undefined) return rows;
		return largeTexts.load(
			rows,
			fields.findIndex(([name]) => name === bulky.field),
		);
	}

	#requireOpen(): OpenDatabase {
		if (!this.#openDatabase) throw new SvcError("SVC_UNAVAILABLE", "the storage is not started");
		return this.#openDatabase;
	}
}
