/**
 * Replies of customers, written by somebody who had not seen the code: plausible ones, also with mistakes, in eleven
 * languages. `ask`: a careful colleague would ask again. Today is Sunday, 29 November 2026.
 */
// cspell:disable

/** For each line: kind of answer, country of the phone, choices, text, what the person means. */
export const answerTable = `
date | US | English | | December 5, 2026 | 2026-12-05
date | US | English | | 12/5/2026 | 2026-12-05
date | US | English | | 12/5 works for me | 2026-12-05
date | US | English | | 01/02/2027 | 2027-01-02
date | DE | German | | 01/02/2027 | 2027-02-01
date | unknown | English | | 01/02/2027 | ask
date | US | English | | 12-01-2026 | 2026-12-01
date | GB | English | | 12-01-2026 | ask
date | US | English | | 05/12/2026 | ask
date | unknown | English | | 13/12/2026 | 2026-12-13
date | unknown | English | | 05/12 | ask
date | GB | English | | 5th Dec please | 2026-12-05
date | GB | English | | 05/12/26 | 2026-12-05
date | GB | English | | 5 Dec, after 4pm please | 2026-12-05
date | GB | English | | saturday the 5th at 10 | 2026-12-05
date | GB | English | | the 5th | 2026-12-05
date | GB | English | | 3 January | 2027-01-03
date | GB | English | | next Tuesday | 2026-12-01
date | US | English | | next Tuesday | ask
date | US | English | | this Friday | 2026-12-04
date | GB | English | | Tuesday week | 2026-12-08
date | US | English | | tomorow | 2026-11-30
date | US | English | | tmrw morning works | 2026-11-30
date | GB | English | | the day after tomorrow | 2026-12-01
date | GB | English | | today if you can | 2026-11-29
date | US | English | | Teusday | 2026-12-01
date | GB | English | | 5 Decmber | 2026-12-05
date | GB | English | | Tuesday 2 December | ask
date | GB | English | | Friday 4 December | 2026-12-04
date | GB | English | | between 3 and 5 December | ask
date | US | English | | not on Tuesday | ask
date | US | English | | any day but Friday | ask
date | GB | English | | not Tuesday but Wednesday please | 2026-12-02
date | GB | English | | 5 or 6 December | ask
date | US | English | | I'll call you | ask
date | US | English | | asap | ask
date | US | English | | 13/13/2026 | ask
date | GB | English | | 30 February 2027 | ask
date | US | English | | Dec 5th - sorry, I mean Dec 6th | 2026-12-06
date | US | English | | by Dec 5 | ask
date | GB | English | | I'm away until 5 December | ask
date | US | English | | could you do Saturday? | 2026-12-05
date | US | English | | next week | ask
date | US | English | | Christmas Eve | 2026-12-24
date | US | English | | after 5pm | ask
date | IN | English | | 05-12-2026 | 2026-12-05
date | IN | English | | 7th dec 26 | 2026-12-07
date | US | English | | order 1203, please deliver December 7 | 2026-12-07
date | DE | German | | 5.12.2026 | 2026-12-05
date | DE | German | | 05.12. | 2026-12-05
date | DE | German | | am 5. Dezember | 2026-12-05
date | DE | German | | 5. dez 26 | 2026-12-05
date | DE | German | | am Dienstag | 2026-12-01
date | DE | German | | übermorgen | 2026-12-01
date | DE | German | | uebermorgen nachmittag | 2026-12-01
date | DE | German | | morgen früh | 2026-11-30
date | DE | German | | morgens | ask
date | DE | German | | 31.02. | ask
date | DE | German | | 28.11.2026 | ask
date | DE | German | | nicht vor dem 5.12. | ask
date | DE | German | | Montag, 7.12. ab 16 Uhr | 2026-12-07
date | DE | German | | 3. März 2027 | 2027-03-03
date | DE | German | | 3. maerz | 2027-03-03
date | DE | German | | in 14 Tagen | 2026-12-13
date | FR | French | | 5 décembre 2026 | 2026-12-05
date | FR | French | | le 8 dec | 2026-12-08
date | FR | French | | le 1er décembre | 2026-12-01
date | FR | French | | mardi prochain | 2026-12-01
date | FR | French | | après-demain | 2026-12-01
date | FR | French | | apres demain svp | 2026-12-01
date | FR | French | | demian | 2026-11-30
date | FR | French | | 05/12/2026 après 16h | 2026-12-05
date | FR | French | | entre le 3 et le 5 décembre | ask
date | FR | French | | n'importe quand sauf mercredi | ask
date | FR | French | | 16 FEVRIER 2027 | 2027-02-16
date | ES | Spanish | | 5 de diciembre | 2026-12-05
date | ES | Spanish | | 5/12/26 | 2026-12-05
date | ES | Spanish | | mañana por la mañana | 2026-11-30
date | ES | Spanish | | por la mañana | ask
date | ES | Spanish | | pasado mañana | 2026-12-01
date | ES | Spanish | | el miercoles | 2026-12-02
date | ES | Spanish | | el viernes no puedo | ask
date | ES | Spanish | | 7 de ene | 2027-01-07
date | MX | Spanish | | 1ro de diciembre | 2026-12-01
date | BR | Portuguese | | 05/12 | 2026-12-05
date | BR | Portuguese | | 5 de dezembro de 2026 | 2026-12-05
date | BR | Portuguese | | amanha de tarde | 2026-11-30
date | BR | Portuguese | | depois de amanhã | 2026-12-01
date | BR | Portuguese | | na sexta | 2026-12-04
date | BR | Portuguese | | dia 7 | 2026-12-07
date | BR | Portuguese | | quinta ou sexta | ask
date | PT | Portuguese | | 2ª feira | 2026-11-30
date | IT | Italian | | 5 dicembre | 2026-12-05
date | IT | Italian | | il 5 dic. 2026 | 2026-12-05
date | IT | Italian | | dopodomani | 2026-12-01
date | IT | Italian | | venerdi mattina | 2026-12-04
date | IT | Italian | | 1° dicembre | 2026-12-01
date | IT | Italian | | vi faccio sapere | ask
date | IT | Italian | | 29/02/2027 | ask
date | NL | Dutch | | 5-12-2026 | 2026-12-05
date | NL | Dutch | | zaterdag 5 dec | 2026-12-05
date | NL | Dutch | | overmorgen | 2026-12-01
date | NL | Dutch | | volgende week dinsdag | 2026-12-01
date | NL | Dutch | | niet op vrijdag | ask
date | NL | Dutch | | 8 mrt 2027 | 2027-03-08
date | TR | Turkish | | 5 Aralık 2026 | 2026-12-05
date | TR | Turkish | | 5 aralik | 2026-12-05
date | TR | Turkish | | yarın öğleden sonra | 2026-11-30
date | TR | Turkish | | 05.12 yerine 07.12 olsun | 2026-12-07
date | TR | Turkish | | çarşamba günü | 2026-12-02
date | ID | Indonesian | | 5 Desember 2026 | 2026-12-05
date | ID | Indonesian | | tgl 7 des ya kak | 2026-12-07
date | ID | Indonesian | | lusa | 2026-12-01
date | ID | Indonesian | | hari Jumat jangan | ask
date | PL | Polish | | 5 grudnia | 2026-12-05
date | PL | Polish | | 5 XII 2026 | 2026-12-05
date | PL | Polish | | pojutrze | 2026-12-01
date | PL | Polish | | w piatek po 16 | 2026-12-04
date | JP | Japanese | | 12月5日でお願いします | 2026-12-05
date | EG | Arabic | | ٥ ديسمبر | 2026-12-05
choice | US | English | Refund, Exchange, Voucher | Refund | Refund
choice | US | English | Refund, Exchange, Voucher | VOUCHER | Voucher
choice | GB | English | Refund, Exchange, Voucher | I'd like the exchange please, thanks | Exchange
choice | GB | English | Refund, Exchange, Voucher | the second one | Exchange
choice | US | English | Refund, Exchange, Voucher | 2 | Exchange
choice | US | English | Refund, Exchange, Voucher | the last one | Voucher
choice | US | English | Refund, Exchange, Voucher | refnd | Refund
choice | GB | English | Refund, Exchange, Voucher | exhange | Exchange
choice | US | English | Refund, Exchange, Voucher | refund or voucher | ask
choice | US | English | Refund, Exchange, Voucher | not the refund | ask
choice | GB | English | Refund, Exchange, Voucher | not the refund, the voucher | Voucher
choice | US | English | Refund, Exchange, Voucher | I want my money back | Refund
choice | GB | English | Refund, Exchange, Voucher | what's the difference? | ask
choice | US | English | Refund, Exchange, Voucher | the fourth | ask
choice | US | English | Refund, Exchange, Voucher | yes | ask
choice | US | English | Refund, Exchange, Voucher | 👍 | ask
choice | US | English | Small, Medium, Large | M | Medium
choice | US | English | Small, Medium, Large | lagre | Large
choice | GB | English | Small, Medium, Large | medium or large, you choose | ask
choice | GB | English | Small, Medium, Large | the biggest | Large
choice | US | English | Small, Medium, Large | XL | ask
choice | GB | English | Small, Medium, Large | not too large | ask
choice | US | English | None, 1, 2, 3, More | 2 | 2
choice | US | English | None, 1, 2, 3, More | three please | 3
choice | GB | English | None, 1, 2, 3, More | the second one | ask
choice | GB | English | None, 1, 2, 3, More | more than 3 | More
choice | US | English | None, 1, 2, 3, More | 5 | More
choice | GB | English | None, 1, 2, 3, More | none thanks | None
choice | US | English | None, 1, 2, 3, More | 1 or 2 | ask
choice | DE | German | Blau, Grün, Rot | blau bitte | Blau
choice | DE | German | Blau, Grün, Rot | gruen | Grün
choice | DE | German | Blau, Grün, Rot | die zweite | Grün
choice | DE | German | Blau, Grün, Rot | rott | Rot
choice | DE | German | Blau, Grün, Rot | 🔵 | Blau
choice | DE | German | Blau, Grün, Rot | nicht rot | ask
choice | DE | German | Blau, Grün, Rot | weder blau noch grün | Rot
choice | AT | German | Blau, Grün, Rot | schwarz | ask
choice | DE | German | Blau, Grün, Rot | egal | ask
choice | GB | English | 09:00, 11:00, 15:00 | 11 | 11:00
choice | US | English | 09:00, 11:00, 15:00 | 3pm | 15:00
choice | DE | German | 09:00, 11:00, 15:00 | 9 Uhr passt | 09:00
choice | US | English | 09:00, 11:00, 15:00 | in the morning | ask
choice | GB | English | 09:00, 11:00, 15:00 | 10 | ask
choice | FR | French | 09:00, 11:00, 15:00 | 15h svp | 15:00
choice | FR | French | Remboursement, Échange, Bon d'achat | le premier | Remboursement
choice | FR | French | Remboursement, Échange, Bon d'achat | echange svp | Échange
choice | FR | French | Remboursement, Échange, Bon d'achat | pas de bon d'achat | ask
choice | ES | Spanish | Reembolso, Cambio, Vale | el último | Vale
choice | ES | Spanish | Reembolso, Cambio, Vale | reenbolso por favor | Reembolso
choice | BR | Portuguese | Pequeno, Médio, Grande | medio pfv | Médio
choice | IT | Italian | Piccolo, Medio, Grande | il terzo | Grande
choice | NL | Dutch | Blauw, Groen, Rood | doe maar de groene | Groen
choice | NL | Dutch | Blauw, Groen, Rood | blauw en rood | ask
choice | TR | Turkish | İade, Değişim, Hediye çeki | degisim lütfen | Değişim
choice | TR | Turkish | İade, Değişim, Hediye çeki | iade istemiyorum | ask
choice | ID | Indonesian | Kecil, Sedang, Besar | yang besar aja kak | Besar
choice | ID | Indonesian | Kecil, Sedang, Besar | yg kedua | Sedang
choice | PL | Polish | Zwrot, Wymiana, Bon | poproszę wymianę | Wymiana
choice | PL | Polish | Zwrot, Wymiana, Bon | pierwsza opcja | Zwrot
choice | JP | Japanese | 返金, 交換, クーポン | 2番目でお願いします | 交換
approval | US | English | | yes | true
approval | US | English | | yep | true
approval | US | English | | nah | false
approval | GB | English | | yes please | true
approval | GB | English | | no thank you | false
approval | GB | English | | ok fine | true
approval | US | English | | yes yes | true
approval | US | English | | y | true
approval | US | English | | go ahead | true
approval | GB | English | | yes, but after 5pm | ask
approval | US | English | | not yet | ask
approval | US | English | | no problem | ask
approval | US | English | | how much does it cost? | ask
approval | US | English | | yeah no | ask
approval | GB | English | | please don't | false
approval | GB | English | | I don't know | ask
approval | US | English | | sure? | ask
approval | US | English | | 👍 | true
approval | US | English | | 👎 | false
approval | GB | English | | 🤔 | ask
approval | DE | German | | ja gerne | true
approval | DE | German | | jo | true
approval | DE | German | | nö | false
approval | DE | German | | jein | ask
approval | DE | German | | kein Problem | ask
approval | DE | German | | lieber nicht | false
approval | DE | German | | ja, wenn es nichts kostet | ask
approval | DE | German | | passt 👍 | true
approval | FR | French | | ouais | true
approval | FR | French | | oui merci | true
approval | FR | French | | non merci | false
approval | FR | French | | d'accord | true
approval | FR | French | | pourquoi pas | ask
approval | FR | French | | pas encore | ask
approval | ES | Spanish | | sí, claro | true
approval | ES | Spanish | | si | true
approval | ES | Spanish | | claro que no | false
approval | ES | Spanish | | vale | true
approval | ES | Spanish | | todavía no | ask
approval | BR | Portuguese | | sim, por favor | true
approval | BR | Portuguese | | nao obrigada | false
approval | BR | Portuguese | | beleza | true
approval | BR | Portuguese | | sim, mas só depois das 18h | ask
approval | IT | Italian | | va bene | true
approval | IT | Italian | | no grazie | false
approval | IT | Italian | | forse | ask
approval | NL | Dutch | | is goed | true
approval | NL | Dutch | | nee dank je | false
approval | NL | Dutch | | geen probleem | ask
approval | TR | Turkish | | evet lütfen | true
approval | TR | Turkish | | tamamdır | true
approval | TR | Turkish | | hayır istemiyorum | false
approval | ID | Indonesian | | iya boleh | true
approval | ID | Indonesian | | gak usah kak | false
approval | ID | Indonesian | | belum | ask
approval | PL | Polish | | tak, poproszę | true
approval | PL | Polish | | nie dziękuję | false
approval | PL | Polish | | no | ask
approval | IN | Hindi | | हाँ जी | true
approval | JP | Japanese | | 大丈夫です | ask
`;
