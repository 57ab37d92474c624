import { signal, useSignal } from "@preact/signals";
import { preferences } from "../kit/preferences.ts";
import { addressBar } from "../kit/router.ts";
import { Dialog } from "../parts/confirm.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/execution-list.ts";

/** A named set of filters. */
interface View {
	readonly name: string;
	/** Query of the address without the page number. */
	readonly query: string;
}

const given: readonly View[] = [
	{ name: texts.viewNames.all, query: "" },
	{ name: texts.viewNames.running, query: "status=running" },
	{ name: texts.viewNames.failed, query: "status=failed" },
	{ name: texts.viewNames.waiting, query: "status=pending" },
];
const maxSaved = 30;

const isView = (value: unknown): value is View =>
	typeof value === "object" &&
	value !== null &&
	"name" in value &&
	typeof value.name === "string" &&
	"query" in value &&
	typeof value.query === "string";
const isViews = (value: unknown): value is readonly View[] => Array.isArray(value) && value.every(isView);

const saved = signal<readonly View[]>(preferences.get("views", isViews) ?? []);

function save(views: readonly View[]): void {
	saved.value = views.slice(-maxSaved);
	preferences.set("views", saved.value);
}

/** Shows links to the predefined views and to those that the user saved in this browser. */
export function SavedViews() {
	const isNaming = useSignal(false);
	const current = currentQuery();
	const own = saved.value.find(({ query }) => query === current);
	const isKnown = own !== undefined || given.some(({ query }) => query === current);
	return (
		<nav class="views" aria-label={texts.views}>
			{[...given, ...saved.value].map(({ name, query }) => (
				<a
					key={`${name} ${query}`}
					href={`#/history${query === "" ? "" : `?${query}`}`}
					aria-current={query === current ? "page" : undefined}
				>
					{name}
				</a>
			))}
			{!isKnown && (
				<button type="button" onClick={() => (isNaming.value = true)}>
					{texts.saveView}
				</button>
			)}
			{own !== undefined && (
				<button type="button" onClick={() => save(saved.value.filter((view) => view !== own))}>
					{texts.deleteView}
				</button>
			)}
			{isNaming.value && (
				<NameView onName={(name) => save([...saved.value, { name, query: current }])} onClose={() => (isNaming.value = false)} />
			)}
		</nav>
	);
}

function NameView({ onName, onClose }: { readonly onName: (name: string) => void; readonly onClose: () => void }) {
	return (
		<Dialog title={texts.saveTitle} onClose={onClose}>
			<form
				onSubmit={(event) => {
					event.preventDefault();
					onName(String(new FormData(event.currentTarget).get("name")).trim().slice(0, 60));
					onClose();
				}}
			>
				<label>
					<span class="dialog-field">{texts.viewName}</span>
					<input name="name" required maxLength={60} autocomplete="off" />
				</label>
				<div class="dialog-actions">
					<button type="button" onClick={onClose}>
						{common.cancel}
					</button>
					<button type="submit" class="primary">
						{common.save}
					</button>
				</div>
			</form>
		</Dialog>
	);
}

/** Returns the query of the address in a fixed order, so that equal filters are recognized as the same view. */
function currentQuery(): string {
	const query = new URLSearchParams(addressBar.current.value.query);
	query.delete("page");
	query.sort();
	return query.toString();
}
