import { useSignal } from "@preact/signals";
import { stringifyJson } from "../../../../core/contract/index.ts";
import { escapeControlCharacters, escapeControlCharactersInLines, type KeyRecord } from "../../../_shipped/client.ts";
import { attempt } from "../kit/notices.ts";
import type { PageProps } from "../kit/page.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toHref, toPath } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { CodeBox } from "../parts/code-box.tsx";
import { Confirm } from "../parts/confirm.tsx";
import { Expiry } from "../parts/expiry.tsx";
import { Fact } from "../parts/fact.tsx";
import { Loaded } from "../parts/loaded.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/datastore.ts";
import { mayDecrypt, mayDo, type Owner, type ScopeName, toScopeName } from "./item-address.ts";
import { ItemDialog } from "./item-dialog.tsx";

interface ItemProps {
	readonly item: KeyRecord;
	readonly scope: ScopeName;
	readonly user: Owner;
}

export function Page({ values: { scope: given = "", name = "" } }: PageProps) {
	const scope = toScopeName(given);
	const user = addressBar.query("user") || undefined;
	const resource = useResource(() => client.keys.get(name, { scope, user }), [scope, name, user]);
	return (
		<Loaded resource={resource} title={name}>
			{(item) => (
				<>
					<Head item={item} scope={scope} user={user} onStored={() => void resource.reload()} />
					<section class="card">
						<h2>{texts.value}</h2>
						{item.secret ? (
							<Secret key={stringifyJson(item)} item={item} scope={scope} user={user} />
						) : (
							<CodeBox label={texts.value} text={item.value} />
						)}
					</section>
				</>
			)}
		</Loaded>
	);
}

function Head({ item, scope, user, onStored }: ItemProps & { readonly onStored: () => void }) {
	const { name, description = "", secret, expire_timestamp: end } = item;
	const asked = useSignal<"change" | "delete" | undefined>(undefined);
	const onClose = () => (asked.value = undefined);
	const remove = () =>
		attempt(async () => {
			await client.keys.remove(name, { scope, user });
			addressBar.go(toPath("/datastore/:scope", { scope }), { user });
		}, texts.deleted);
	return (
		<>
			<div class="page-head">
				<h1>{escapeControlCharacters(name)}</h1>
				{mayDo("set", scope, name) && (
					<button type="button" onClick={() => (asked.value = "change")}>
						{common.changeOne}
					</button>
				)}
				{mayDo("delete", scope, name) && (
					<button type="button" class="danger" onClick={() => (asked.value = "delete")}>
						{common.removeOne}
					</button>
				)}
			</div>
			{description !== "" && <p>{escapeControlCharactersInLines(description)}</p>}
			<dl class="facts">
				<Fact name={texts.scope}>
					<a href={toHref(toPath("/datastore/:scope", { scope }), { user })}>
						{scope === "system" ? texts.systemScope : escapeControlCharacters(item.user ?? "")}
					</a>
				</Fact>
				<Fact name={texts.secret}>{secret ? texts.storedEncrypted : common.no}</Fact>
				<Fact name={common.expires}>{end === undefined ? common.never : <Expiry at={end} />}</Fact>
			</dl>
			{asked.value === "change" && <ItemDialog scope={scope} user={user} item={item} onStored={onStored} onClose={onClose} />}
			{asked.value === "delete" && (
				<Confirm title={common.removeNamed(name)} action={common.remove} isDangerous onConfirm={() => void remove()} onClose={onClose}>
					<p>{texts.deleteWarning}</p>
				</Confirm>
			)}
		</>
	);
}

/** Shows a secret masked until the user requests its plain text. The plain text is dropped when the user hides it or leaves the page. */
function Secret({ item: { name, value }, scope, user }: ItemProps) {
	const clear = useSignal<string | undefined>(undefined);
	const show = () =>
		attempt(async () => {
			clear.value = (await client.keys.get(name, { scope, user, decrypt: true })).value;
		}, "");
	if (clear.value !== undefined)
		return (
			<>
				<CodeBox label={texts.value} text={clear.value} />
				<p class="below">
					<button type="button" onClick={() => (clear.value = undefined)}>
						{texts.hide}
					</button>
				</p>
			</>
		);
	return (
		<p>
			<code>{value}</code>{" "}
			{mayDecrypt(scope) && (
				<button type="button" onClick={() => void show()}>
					{texts.show}
				</button>
			)}
		</p>
	);
}
