import { useSignal } from "@preact/signals";
import { Dialog } from "../parts/confirm.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/palette.ts";
import { hasSingleKeys, setSingleKeys } from "./keys.ts";

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
	const isOn = useSignal(hasSingleKeys());
	return (
		<Dialog title={texts.keys} onClose={onClose}>
			<table class="key-table" aria-label={texts.keys}>
				<tbody>
					{texts.keyMeanings.map(([names, meaning]) => (
						<tr key={meaning}>
							<th scope="row">
								{names.map((name) => (
									<kbd key={name}>{name}</kbd>
								))}
							</th>
							<td>{meaning}</td>
						</tr>
					))}
				</tbody>
			</table>
			<label class="toggle">
				<input
					type="checkbox"
					checked={isOn.value}
					onChange={(event) => {
						isOn.value = event.currentTarget.checked;
						setSingleKeys(isOn.value);
					}}
				/>
				{texts.singleKeys}
			</label>
			<div class="dialog-actions">
				<button type="button" onClick={onClose}>
					{common.close}
				</button>
			</div>
		</Dialog>
	);
}
