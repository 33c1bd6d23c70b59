/** Characters without a shape: zero-width spaces, direction marks, soft hyphens, controls. White space has a shape. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}]|(?!\p{White_Space})\p{Cc}/gu;
/** White space of every kind, also the empty pattern of Braille. */
const spaces = /[\p{White_Space}\u2800]+/gu;
/** Hyphens that look the same: the second one only forbids a line break. */
const hyphens = /[\u2010\u2011]/g;

/** The name of a campaign. Names that look the same become the same: in NFC, without invisible characters, with single spaces. */
export function campaignName(written: string): string {
	const visible = written.replace(invisible, '').replace(hyphens, '-');
	return visible.normalize('NFC').replace(spaces, ' ').trim();
}
